/** Run in a process of its own: prints how long it takes to resolve the profiles of many hats, and to parse the same as JSON. */
import { BUILT_IN_CARDS } from '../src/core/tools/built-in-cards.ts';
import { type ProfilePolicy, resolveProfile } from '../src/core/tools/tool-profiles.ts';

const HATS = 10_000;
const RUNS = 9;
const GROUPS = ['fs', 'git', 'web', 'quality', 'github', 'runtime', 'complete', 'mcp:docs'];

interface Hat {
  readonly triggers: readonly string[];
  readonly publishes: readonly string[];
  readonly policy: ProfilePolicy;
}

/** Every hat has a profile of its own. */
const hats: readonly Hat[] = Array.from({ length: HATS }, (_, index) => ({
  triggers: [`task.${index}`],
  publishes: [`task.${index + 1}`],
  policy: {
    allow: GROUPS.filter((_group, bit) => ((index >> bit) & 1) === 1),
    deny: index % 3 === 0 ? ['git_push', 'bash'] : [],
    exempt: index % 5 === 0 ? ['quality'] : [],
    requireReadOnly: index % 2 === 0,
    denyDestructive: index % 7 === 0,
  },
}));
const text = JSON.stringify(hats);

function time(work: () => number): number {
  const startedAt = performance.now();
  if (work() === 0) throw new Error('nothing was done');
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const resolveMs: number[] = [];
const parseMs: number[] = [];
let offered = 0;
for (let run = 0; run < RUNS; run += 1) {
  resolveMs.push(
    time(() => {
      offered = 0;
      for (const { policy } of hats) for (const { isOffered } of resolveProfile(policy, BUILT_IN_CARDS)) if (isOffered) offered += 1;
      return offered;
    }),
  );
  parseMs.push(time(() => (JSON.parse(text) as readonly Hat[]).length));
}
process.stdout.write(
  JSON.stringify({
    hats: HATS,
    tools: BUILT_IN_CARDS.length,
    offered,
    resolveMs: median(resolveMs),
    parseMs: median(parseMs),
    bytes: text.length,
  }),
);
