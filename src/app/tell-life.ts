import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLifeEvent } from '../core/hooks/hook-moments.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { Environment } from '../core/values/environment.ts';
import { mapTexts } from '../core/values/json.ts';
import { createLifeHooks, type LifeRun } from '../hooks/ask-life-hooks.ts';
import { createLifeWatch, type LifeMoment } from '../hooks/life-moments.ts';
import type { RunPaths } from '../journal/run-folder.ts';
import type { FoldedRun } from '../loop/decide/decide.ts';
import type { AskAway } from '../ports/hook-runner.ts';
import type { Redaction } from '../ports/redaction.ts';
import { toGateMarker } from '../runs/markers.ts';
import type { RunFile } from '../runs/run-file.ts';
import { toPlainLine } from '../views/text/plain-text.ts';

/** Tells hooks of the life of a run. */
export interface LifeTeller {
  /** Holds nothing up. */
  readonly take: (record: RunRecord) => void;
  /** Some hook is told on a worker: nobody takes an order of a run that was let go of. */
  readonly needsFleet: boolean;
  /** Tells of the end, last of all, and waits until every hook is done; once. What went wrong, in words. Never rejects. */
  readonly close: () => Promise<readonly string[]>;
  /** Ends the hooks that run, and all that wait. */
  readonly stop: () => void;
}

const NOBODY: LifeTeller = { take: () => undefined, needsFleet: false, close: async () => [], stop: () => undefined };
const MAX_WARNINGS = 5;

/** Each hook that was told is a line of `hooks.jsonl` in the folder of the run. */
export function createLifeTeller(
  { paths, file, env }: { readonly paths: RunPaths; readonly file: RunFile; readonly env: Environment },
  folded: FoldedRun | null,
  redaction: Redaction | undefined,
  askAway: AskAway | undefined,
): LifeTeller {
  const { hooks = {}, runHooks = [] } = file.settings;
  const told = [...runHooks, ...Object.values(hooks).flat()].filter(({ event }) => isLifeEvent(event));
  if (told.length === 0) return NOBODY;
  const clean = (text: string): string => redaction?.text(text) ?? text;
  const failed: LifeRun[] = [];
  let unwritten: string | null = null;
  const report = (run: LifeRun): void => {
    if (run.error !== null) failed.push(run);
    try {
      const line = mapTexts({ ...run }, clean);
      appendFileSync(join(paths.folder, 'hooks.jsonl'), `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch (error) {
      unwritten = `What hooks were told of could not be written down: ${String(error)}`;
    }
  };
  const ended = new AbortController();
  const place = { cwd: file.workspace, env, marker: `${toGateMarker(paths.runId)}.hooks`, signal: ended.signal };
  const scene = { run: paths.runId, ...place, ...(askAway !== undefined && { askAway }) };
  const life = createLifeHooks({ ofRun: runHooks, ofHat: (hat) => hooks[hat] ?? [] }, scene, report, () => performance.now());
  const watch = createLifeWatch(folded?.state.activations, folded?.state.lastHat);
  let end: LifeMoment | null = null;
  let closing: Promise<readonly string[]> | undefined;
  return {
    take: (record) => {
      for (const moment of watch.take(record)) {
        if (moment.event === 'RunEnd') end = moment;
        else life.tell(moment);
      }
    },
    needsFleet: askAway !== undefined && told.some(({ runsOn }) => runsOn !== undefined),
    close: () => (closing ??= closeAll()),
    stop: () => ended.abort(),
  };
  async function closeAll(): Promise<readonly string[]> {
    if (end !== null) life.tell(end);
    await life.close();
    const warnings = failed.map(({ event, name, error }) => `The hook ${name} of ${event} failed: ${clean(error ?? '')}`);
    const more =
      warnings.length > MAX_WARNINGS ? [`${warnings.length - MAX_WARNINGS} more hooks failed: ${join(paths.folder, 'hooks.jsonl')}`] : [];
    return [...warnings.slice(0, MAX_WARNINGS), ...more, ...(unwritten === null ? [] : [unwritten])].map((text) => toPlainLine(text, 1000));
  }
}
