import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../bootstrap.mjs';

/** The links of the pages of a built site that lead to no file or to no heading of it. The API reference checks its own. */
export function deadLinks(site: string): string[] {
  const folder = join(root, site);
  const pages = globSync('**/*.html', { cwd: folder }).filter((page) => !page.startsWith('api/'));
  const texts = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));
  const base = /<a[^>]* class="title" href="([^"]*)"/.exec(texts.get('index.html') ?? '')?.[1] ?? '/';
  return pages.flatMap((page) => {
    const links = Array.from((texts.get(page) ?? '').matchAll(/<a[^>]* href="([^"]+)"/g), ([, link = '']) => link);
    return [...new Set(links)].filter((link) => isDead(link, page)).map((link) => `${page}: ${link} leads nowhere`);
  });

  function isDead(link: string, page: string): boolean {
    if (/^[a-z]+:/.test(link)) return false;
    const [address = '', heading] = link.replaceAll('&amp;', '&').split('#');
    const [path = ''] = decodeURI(address).split('?');
    const inSite = path.startsWith('/') ? path.slice(base.length) : posix.join(posix.dirname(page), path);
    const isFolder = inSite === '' || inSite === '.' || inSite.endsWith('/');
    const file = path === '' ? page : isFolder ? posix.join(inSite, 'index.html') : inSite;
    if (!existsSync(join(folder, file)) || !statSync(join(folder, file)).isFile()) return true;
    return heading !== undefined && texts.has(file) && !texts.get(file)?.includes(`id="${decodeURI(heading)}"`);
  }
}
