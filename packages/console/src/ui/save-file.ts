/** Milliseconds after which the browser has surely begun to save the file. */
const saveTime = 60_000;

/** Saves a file through the browser. */
export function saveFile(name: string, content: BlobPart): void {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content]));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), saveTime);
}
