import { type HookEventName, isLoopEvent } from '../../core/hooks/hook-moments.ts';
import type { HookHandler } from '../../core/hooks/hook-spec.ts';
import { isLabel } from '../../core/values/label.ts';
import { isEmptyValue, type LocatedMap, type LocatedValue, toDiagnostic } from '../findings/located.ts';
import { toValueFinding } from '../keys/value-finding.ts';
import type { HookNotes } from './read-hook-handler.ts';

/** A hook that may ask for a worker. */
interface LabelledHook {
  readonly event: HookEventName;
  readonly handler: HookHandler;
  readonly isKeptAlive: boolean;
}

/** As hats and gates have it. */
const LABEL = { kind: 'label', doc: '' } as const;

/** The labels of a list, or a single one, each once. What is none is noted, as of hats and gates. */
function readLabels(value: LocatedValue, { diagnostics }: HookNotes): readonly string[] {
  if (isEmptyValue(value)) return [];
  const items = value.kind === 'list' ? value.items : [value];
  const labels = items.flatMap((item, index) => {
    if (item.kind === 'scalar' && typeof item.value === 'string' && isLabel(item.value)) return [item.value];
    diagnostics.push(toDiagnostic(item.place, toValueFinding(LABEL, item, ['runs_on', index])));
    return [];
  });
  return labels.length === items.length ? [...new Set(labels)] : [];
}

/** Reads what a worker must have to run a hook; a hook that no worker can run is noted. */
export function readHookLabels(hook: LocatedMap, asked: LabelledHook, notes: HookNotes): readonly string[] {
  const value = hook.entries.get('runs_on')?.value;
  const labels = value === undefined ? [] : readLabels(value, notes);
  if (value === undefined || labels.length === 0) return [];
  const [why, fix] = findObstacle(asked, notes.workspace) ?? [];
  if (why === undefined || fix === undefined) return labels;
  const message = 'This hook takes no `runs_on`.';
  notes.diagnostics.push(toDiagnostic(value.place, { code: 'hook-invalid', severity: 'error', message, why, fix }));
  return [];
}

/** Why no worker can run such a hook, and what to write; `null` for nothing. */
function findObstacle({ event, handler, isKeptAlive }: LabelledHook, workspace: string): readonly [why: string, fix: string] | null {
  if (!isLoopEvent(event))
    return [
      `${event} is asked for each call where the turn is, and the loop has no part in it.`,
      'Leave `runs_on` out: `hats.<id>.runs_on` says where the turns are, and these hooks with them.',
    ];
  if (handler.kind === 'module')
    return [
      'A function of a module is loaded into the process that asks and stays there, and a worker serves other runs as well.',
      'Write a program that reads the event from standard input: command: node hooks/check.mjs',
    ];
  if (handler.kind === 'python')
    return [
      'A function of Python stays for the turn, and a worker is asked anew each time.',
      'Write a program that reads the event from standard input: command: python3 hooks/check.py',
    ];
  if (isKeptAlive)
    return [
      'With `keep_alive` a program stays for the turn, and a worker is asked anew each time.',
      'Leave `keep_alive` or `runs_on` out.',
    ];
  const isInside = handler.kind === 'shell' || handler.file === null || handler.file.path.startsWith(`${workspace}/`);
  return isInside
    ? null
    : ['Its file is not in the folder of the run: a worker gets no other files.', 'Put the file into that folder, or leave `runs_on` out.'];
}
