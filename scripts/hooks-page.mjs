/** The table of events in docs/guide/hooks.md, made from the one in src/core/hooks/hook-spec.ts. Written by scripts/docs.mjs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const HOOKS_PAGE = 'docs/guide/hooks.md';

const TABLE = fileURLToPath(new URL('../src/core/hooks/hook-spec.ts', import.meta.url));
const BEGIN = '<!-- events: written by `npm run docs` from src/core/hooks/hook-spec.ts -->\n';
const END = '<!-- end of events -->';

/** The page with the table as it has to be. Throws where the page has no place for it. */
export async function renderHooksPage(page) {
  const [before, rest] = page.split(BEGIN);
  const at = rest?.indexOf(END) ?? -1;
  if (at < 0) throw new Error(`${HOOKS_PAGE} has no place for the table of events: ${BEGIN.trim()} … ${END}`);
  return `${before}${BEGIN}${renderTable(await loadMoments())}${rest.slice(at)}`;
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

async function loadMoments() {
  const { rolldown } = await import('rolldown');
  const folder = mkdtempSync(join(tmpdir(), 'ralph-events-'));
  try {
    const build = await rolldown({ cwd: fileURLToPath(new URL('..', import.meta.url)), input: { moments: TABLE }, platform: 'node' });
    await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
    await build.close();
    return (await import(pathToFileURL(join(folder, 'moments.mjs')).href)).HOOK_MOMENTS;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
