/** Temporary folders to run in. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const RALPH = fileURLToPath(new URL('../bin/ralph.js', import.meta.url));

/** Gives `use` a new folder with these files (name -> text; `.sh` files are executable), and removes it afterwards. */
export async function withFolder(files, use) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
      if (name.endsWith('.sh')) chmodSync(join(folder, name), 0o755);
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
