/** Run in a process of its own: `node bundle.mjs FILE` prints how long it takes to load and to check a configuration. */
import { readConfig } from '../src/config/index.ts';
import { compileTopology } from '../src/topology/routing/index.ts';
import { validateTopology } from '../src/topology/rules/index.ts';

const file = process.argv[2] ?? '';
const startedAt = performance.now();
const { draft, diagnostics, looseTriggers } = readConfig({ cwd: process.cwd(), configFiles: [file] });
const loadedAt = performance.now();
if (draft === null || diagnostics.length > 0) throw new Error('the collection was to be without findings');
const findings = validateTopology(compileTopology(draft.spec), { looseTriggers });
const validatedAt = performance.now();
if (findings.length > 0) throw new Error(`the collection was to be without findings: ${findings[0]?.message}`);
process.stdout.write(
  JSON.stringify({ loadMs: loadedAt - startedAt, validateMs: validatedAt - loadedAt, peakKb: process.resourceUsage().maxRSS }),
);
