import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withBundle } from './bundle.mjs';
import { row } from './measure.mjs';

/** Events routed per second through a team of a thousand hats, against a plain look-up in a Map. */
export async function benchRouting() {
  return withRooms(({ measureRouting }) => {
    const { hats, exact, pattern, map } = measureRouting();
    const perSecond = (value) => `${Math.round(value / 1000).toLocaleString('en')} k/s`;
    return [
      row(
        `events routed, ${hats} hats, exact topics`,
        perSecond(exact),
        `bare Map ${perSecond(map)}`,
        `${(map / exact).toFixed(1)} x slower`,
      ),
      row(
        `events routed, ${hats} hats, patterns`,
        perSecond(pattern),
        `bare Map ${perSecond(map)}`,
        `${(map / pattern).toFixed(1)} x slower`,
      ),
    ];
  });
}

/** Resuming: a journal of 100,000 inputs read, checked and folded, against reading and parsing its lines alone. */
export async function benchResume() {
  return withRooms(({ measureResume }) => {
    const folder = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
    try {
      const { inputs, megabytes, foldMs, parseMs } = measureResume(join(folder, 'journal.jsonl'));
      return [
        row(
          `resume of a journal with ${inputs.toLocaleString('en')} inputs`,
          `${Math.round(foldMs)} ms`,
          `split and JSON.parse ${Math.round(parseMs)} ms`,
          `${(foldMs / parseMs).toFixed(2)} x`,
          `${megabytes.toFixed(1)} MB`,
        ),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** Loads what is measured inside of this process. */
function withRooms(use) {
  return withBundle(new URL('rooms.ts', import.meta.url), async (file) => use(await import(pathToFileURL(file).href)));
}
