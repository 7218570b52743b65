/** Bundles what is measured inside of a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

/** Bundles a file, gives `use` the path of the bundle and removes it afterwards. */
export async function withBundle(entry, use) {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  try {
    const file = join(folder, 'bundle.mjs');
    await build({
      input: fileURLToPath(entry),
      platform: 'node',
      transform: { define: { RALPH_YAML_LIBRARY: '"yaml"', RALPH_SCHEMA_LIBRARY: '"@cfworker/json-schema"' } },
      output: { file, format: 'esm', codeSplitting: false },
      logLevel: 'silent',
    });
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
