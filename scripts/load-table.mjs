/** What a TypeScript file without Node in it exports, for pages that are made from it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** @param file relative to the root of the repository */
export async function loadTable(file) {
  const { rolldown } = await import('rolldown');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'ralph-table-'));
  try {
    const build = await rolldown({ cwd: root, input: { table: join(root, file) }, platform: 'node' });
    await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
    await build.close();
    return await import(pathToFileURL(join(folder, 'table.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
