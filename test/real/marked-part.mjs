/** A part of a page that a test writes: between two markers. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * Writes a part into a page of `docs/guide`, or says which rows of what was seen are not on the page. Differences are news, not failures: a CLI may do
 * more than it did.
 *
 * @param {{ page: string, name: string, lane: string }} place the part stands between `<!-- NAME: … -->` and `<!-- /NAME -->`
 * @param {string} part
 * @param {{ write: boolean, missing: string[] }} options `missing`: what was not tried, so that the part would not be whole
 * @returns {Promise<string[]>} what to tell, one line each
 */
export async function keepMarkedPart({ page, name, lane }, part, { write, missing }) {
  const path = fileURLToPath(new URL(`../../docs/guide/${page}`, import.meta.url));
  const marker = `<!-- ${name}: written by \`npm run e2e:real -- --lane ${lane} --write\`, do not edit -->`;
  const text = await readFile(path, 'utf8');
  const [start, end] = [text.indexOf(marker), text.indexOf(`<!-- /${name} -->`)];
  if (start < 0 || end < start) return [`${path} lacks its markers`];
  const rows = part.split('\n').filter((line) => /^\| [`\w]/.test(line));
  if (!write) return rows.filter((row) => !text.slice(start, end).includes(row)).map((row) => `not as on the page: ${row}`);
  if (missing.length > 0) return [`not written, because these were not tried: ${missing.join(', ')}`];
  await writeFile(path, `${text.slice(0, start)}${marker}\n${part}\n${text.slice(end)}`);
  return [`written: ${path}`];
}
