/** The table of events in docs/guide/hooks.md, made from the one in src/core/hooks/hook-moments.ts. Written by scripts/docs.mjs. */
import { loadTable } from './load-table.mjs';

export const HOOKS_PAGE = 'docs/guide/hooks.md';

const BEGIN = '<!-- events: written by `npm run docs` from src/core/hooks/hook-moments.ts -->\n';
const END = '<!-- end of events -->';

/** The page with the table as it has to be. Throws where the page has no place for it. */
export async function renderHooksPage(page) {
  const [before, rest] = page.split(BEGIN);
  const at = rest?.indexOf(END) ?? -1;
  if (at < 0) throw new Error(`${HOOKS_PAGE} has no place for the table of events: ${BEGIN.trim()} … ${END}`);
  return `${before}${BEGIN}${renderTable((await loadTable('src/core/hooks/hook-moments.ts')).HOOK_MOMENTS)}${rest.slice(at)}`;
}

function renderTable(moments) {
  const rows = Object.entries(moments).map(([name, moment]) => {
    const also = moment.aliases.map((alias) => `\`${alias}\``).join(', ');
    const may = [moment.mayBlock && 'deny it', moment.mayChange && `change the ${moment.mayChange}`, moment.mayInject && 'tell the model'];
    const event = also === '' ? `\`${name}\`` : `\`${name}\` (also ${also})`;
    return `| ${event} | ${moment.when} | ${moment.matchedOn} | ${may.filter(Boolean).join(', ') || 'nothing'} |\n`;
  });
  return `| event | when | matched on | may |\n|---|---|---|---|\n${rows.join('')}`;
}
