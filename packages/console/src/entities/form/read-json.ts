/** The value for the request, or what is wrong with the text. An absent value is not sent. */
export interface ReadDraft {
  readonly value?: unknown;
  readonly error?: string;
}

export function readJson(text: string): ReadDraft {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
