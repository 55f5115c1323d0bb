import type { Frame } from './call-tree.ts';

const width = 1_600;
const rowHeight = 17;
const titleHeight = 30;
/** Narrower frames could not be seen. */
const leastWidth = 0.3;
const letterWidth = 6.6;

interface Box {
  readonly frame: Frame;
  readonly x: number;
  readonly depth: number;
}

/** Draws a call tree as an SVG: a function is as wide as its time and stands on its caller. A tooltip says more. */
export function flameGraph(root: Frame, title: string): string {
  const scale = width / root.total;
  const boxes = [...boxesOf({ frame: root, x: 0, depth: 0 }, scale)];
  const depth = Math.max(...boxes.map((box) => box.depth));
  const height = titleHeight + (depth + 1) * rowHeight;
  const draw = ({ frame, x, depth: at }: Box) => {
    const [y, length] = [height - (at + 1) * rowHeight, frame.total * scale];
    const share = ((100 * frame.total) / root.total).toFixed(2);
    const letters = Math.floor((length - 6) / letterWidth);
    const label = letters < 3 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${cut(frame.name, letters)}</text>`;
    const tip = `${frame.name}\n${frame.owner}\n${frame.place}\n${share} %`;
    return (
      `<g><title>${escaped(tip)}</title><rect x="${x.toFixed(2)}" y="${y}" width="${length.toFixed(2)}" ` +
      `height="${rowHeight - 1}" fill="${colourOf(frame.owner)}"/>${label}</g>`
    );
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="11">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<text x="8" y="20" font-size="15">${escaped(title)}</text>`,
    ...boxes.map(draw),
    '</svg>\n',
  ].join('\n');
}

function* boxesOf(box: Box, scale: number): Generator<Box> {
  yield box;
  let { x } = box;
  for (const frame of box.frame.children.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (frame.total * scale >= leastWidth) yield* boxesOf({ frame, x, depth: box.depth + 1 }, scale);
    x += frame.total * scale;
  }
}

/** One hue for each owner; those of the server are warm. */
function colourOf(owner: string): string {
  if (owner.startsWith('(')) return 'hsl(0 0% 82%)';
  let hash = 7;
  for (const letter of owner) hash = (hash * 31 + letter.charCodeAt(0)) % 9_973;
  return owner.startsWith('server/') ? `hsl(${hash % 55} 90% 68%)` : `hsl(${110 + (hash % 170)} 45% 76%)`;
}

function cut(name: string, letters: number): string {
  return escaped(name.length <= letters ? name : `${name.slice(0, letters - 1)}…`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
