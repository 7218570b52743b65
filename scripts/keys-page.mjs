/** The table of keys in docs/guide/watch.md, made from the one in src/tui/keys.ts. Written by scripts/docs.mjs. */
import { loadTable } from './load-table.mjs';

export const KEYS_PAGE = 'docs/guide/watch.md';

const BEGIN = '<!-- keys: written by `npm run docs` from src/tui/keys.ts -->\n';
const END = '<!-- end of keys -->';

/** The page with the table as it has to be. Throws where the page has no place for it. */
export async function renderKeysPage(page) {
  const [before, rest] = page.split(BEGIN);
  const at = rest?.indexOf(END) ?? -1;
  if (at < 0) throw new Error(`${KEYS_PAGE} has no place for the table of keys: ${BEGIN.trim()} … ${END}`);
  const { KEYS } = await loadTable('src/tui/keys.ts');
  const rows = KEYS.map(({ shown, meaning, steers }) => `| \`${shown}\` | ${meaning}${steers ? '; it steers' : ''} |\n`);
  return `${before}${BEGIN}| key | what it does |\n|---|---|\n${rows.join('')}${rest.slice(at)}`;
}
