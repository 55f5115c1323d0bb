import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/** A part of a walk: a numbered sentence, commands of a shell, or a picture of the page as it is then. */
export type WalkPart =
  | { readonly kind: 'step'; readonly number: number; readonly sentence: string }
  | { readonly kind: 'commands'; readonly commands: string }
  | { readonly kind: 'picture'; readonly file: string };

/** The parts of a document that something is done for, in its order. All other text is for people alone. */
export function partsOf(text: string): WalkPart[] {
  const parts = text.matchAll(/^(\d+)\. ([^\n]+)$|^```sh\n(.*?)^```$|^!\[[^\n]*\]\(([^\n]+)\)$/gms);
  return [...parts].map(([, number, sentence = '', commands, file]): WalkPart => {
    if (commands !== undefined) return { kind: 'commands', commands };
    if (file !== undefined) return { kind: 'picture', file };
    return { kind: 'step', number: Number(number), sentence };
  });
}

export interface Walker {
  readonly page: Page;
  /** What stands for "the password of `admin`". */
  readonly password: string;
  /** Where downloads go. */
  readonly folder: string;
}

type Act = (walker: Walker, place: Page | Locator, ...names: string[]) => Promise<unknown>;

const exact = (name: string) => ({ name, exact: true });

/** What a sentence may be. `**…**` is what the page shows, and `…` what a person types. */
const acts: readonly (readonly [RegExp, Act])[] = [
  [/^Open \*\*(.+)\*\*$/, ({ page }, _, name) => openPage(page, name ?? '')],
  [/^Follow \*\*(.+)\*\*$/, (_, place, name = '') => place.getByRole('main').getByRole('link', exact(name)).click()],
  [/^Press \*\*Download (.+)\*\*$/, (walker, place, name = '') => download(walker, place, name)],
  [/^Press \*\*(.+)\*\*$/, (_, place, name = '') => place.getByRole('button', exact(name)).click()],
  [/^Pick \*\*(.+)\*\*$/, ({ page }, _, name = '') => page.getByRole('menuitem', exact(name)).click()],
  [/^Select the tab \*\*(.+)\*\*$/, (_, place, name = '') => place.getByRole('tab', exact(name)).click()],
  [/^Fill \*\*(.+)\*\* with the password of `admin`$/, ({ password }, place, name) => fill(place, name, password)],
  [/^Fill \*\*(.+)\*\* with `(.+)`$/, (_, place, name, value) => fill(place, name, value)],
  [/^Add `(.+)` to \*\*(.+)\*\*$/, (_, place, value, name) => add(place, value, name)],
  [/^Choose `(.+)` as \*\*(.+)\*\*$/, ({ page }, place, value, name) => choose(page, place, value, name)],
  [/^See the heading \*\*(.+)\*\*$/, (_, place, name = '') => place.getByRole('heading', exact(name)).waitFor()],
  [/^See the picture \*\*(.+)\*\*$/, (_, place, name = '') => see(place.getByRole('img', exact(name)))],
  [/^See the text \*\*(.+)\*\*$/, (_, place, text = '') => see(place.getByText(text).first())],
  [/^See no text \*\*(.+)\*\*$/, (_, place, text = '') => place.getByText(text).first().waitFor({ state: 'detached' })],
];

/**
 * Does what a sentence says.
 *
 * @throws Error when the sentence is none that a walk may have, or the page has not what it names
 */
export async function doStep(walker: Walker, sentence: string): Promise<void> {
  const [, act = '', inDialog] = /^(.+?)( in the dialog)?\.?$/.exec(sentence) ?? [];
  const place = inDialog === undefined ? walker.page : walker.page.getByRole('dialog');
  for (const [form, run] of acts) {
    const names = form.exec(act);
    if (names) return void (await run(walker, place, ...names.slice(1)));
  }
  throw new Error(`a walk has no sentence such as: ${sentence}`);
}

/** As a person does: a picture that follows shows it. */
async function see(seen: Locator): Promise<void> {
  await seen.waitFor();
  await seen.evaluate("element => element.scrollIntoView({ block: 'center' })");
}

function openPage(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', exact('Pages')).getByRole('link', exact(name)).click();
}

function fill(place: Page | Locator, label = '', value = ''): Promise<void> {
  return place.getByLabel(label, { exact: true }).fill(value);
}

async function add(place: Page | Locator, value = '', name = ''): Promise<void> {
  const field = place.getByRole('combobox', exact(name));
  await field.pressSequentially(value);
  await field.press('Enter');
  await place
    .getByRole('grid', exact(`${name}: chosen`))
    .getByRole('row', exact(value))
    .waitFor();
}

async function choose(page: Page, place: Page | Locator, value = '', name = ''): Promise<void> {
  await place.getByRole('button', { name: new RegExp(`\\b${name}\\b`) }).click();
  await page.getByRole('option', exact(value)).click();
}

async function download({ page, folder }: Walker, place: Page | Locator, name: string): Promise<void> {
  const started = page.waitForEvent('download');
  await place.getByRole('button', exact(`Download ${name}`)).click();
  await (await started).saveAs(join(folder, name));
}
