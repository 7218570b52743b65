import { toResultName } from '../../core/gates/gate-result.ts';
import { isFailureLine, pickTellingLines } from '../../core/text/telling-lines.ts';
import type { GateView, RunView } from '../fold/run-view.ts';
import { cutText, toPlainLine } from '../text/plain-text.ts';

/** The last results of required gates, those that are red. */
export function listRedGates({ turns, gateSources }: Pick<RunView, 'turns' | 'gateSources'>): readonly GateView[] {
  const last = new Map<number, GateView>();
  for (const { gates } of turns) for (const result of gates) if (result.skipped !== true) last.set(result.gate, result);
  return [...last.values()].filter(({ gate, passed }) => !passed && gateSources[gate]?.isRequired !== false);
}

/** When it failed first since it last passed. */
export function toRedSince(view: Pick<RunView, 'turns' | 'at'>, gate: number): number {
  return listRedResults(view, gate)[0]?.at ?? view.at;
}

/**
 * Which gates are red, and whether the work is stuck at them: `tests failed after turn 2.`, `tests failed 2 times in a row, last after turn 4, each time with "refuses a used
 * token".`
 */
export function toRedText(view: Pick<RunView, 'turns' | 'gateSources'>): string {
  const red = listRedGates(view);
  const rows = red.map(({ gate }) => listRedResults(view, gate));
  const worst = rows.reduce<readonly GateView[]>((most, row) => (row.length > most.length ? row : most), []);
  const last = worst.at(-1);
  if (last === undefined) return '';
  const names = cutText(toList(red), 300);
  if (worst.length < 2) return `${names} failed after turn ${last.iteration}.`;
  const of = red.length === 1 ? `${names} failed` : `${names} failed, ${toList([last])}`;
  const same = findSameLine(worst);
  const each = same === null ? '' : `, each time with "${toPlainLine(same, 160)}"`;
  return `${of} ${worst.length} times in a row, last after turn ${last.iteration}${each}.`;
}

function toList(gates: readonly GateView[]): string {
  return gates.map((gate) => toPlainLine(toResultName(gate), 100)).join(', ');
}

/** The results of a gate since it last passed. */
function listRedResults({ turns }: Pick<RunView, 'turns'>, gate: number): readonly GateView[] {
  const red: GateView[] = [];
  for (const { gates } of turns)
    for (const result of gates) {
      if (result.gate !== gate || result.skipped === true) continue;
      if (result.passed) red.length = 0;
      else red.push(result);
    }
  return red;
}

const LOOKED_AT = 8;
/** What a test runner puts before the name of a failed test, and the time that it took, which differs each time. */
const BEFORE = /^\s*(?:not ok \d+ - |[✖✗✘×✕●❯] |(?:--- )?FAIL(?:ED)?:? )/;
const AFTER = /\s*\(?\d+(?:\.\d+)?\s?m?s\)?$/;

/** What the telling lines of all of them name, the first of it; `null` where they have nothing in common, or nobody can tell. */
function findSameLine(results: readonly GateView[]): string | null {
  const [first = [], ...others] = results
    .slice(-LOOKED_AT)
    .map(({ outputTail }) => toNames(outputTail))
    .reverse();
  return first.find((name) => others.every((names) => names.includes(name))) ?? null;
}

function toNames(output: string): readonly string[] {
  return pickTellingLines(output, LOOKED_AT)
    .filter(isFailureLine)
    .map((line) => line.replace(BEFORE, '').replace(AFTER, '').trim())
    .filter((name) => name !== '');
}
