import type { PathClass } from '../../core/gates/classify-paths.ts';
import { toResultName } from '../../core/gates/gate-result.ts';
import type { RejectionCause } from '../../core/run/effects.ts';
import { toDurationText } from '../../core/text/duration.ts';
import type { GateVerdict, GateView, RunView, TurnView } from '../fold/run-view.ts';
import { cutText, toCount, toList, toPathText, toPlainLine } from '../text/plain-text.ts';
import { toWorkerText } from './turn-line.ts';
import type { ChangedFile, WorkFacts } from './work-facts.ts';

type EndedGate = Pick<GateView, 'exitCode' | 'timedOut' | 'durationMs' | 'skipped' | 'evidence'>;

/** `exit 0, 1.2 s`, `ran out of time, 10 s`, `exit 0 at try 2, 3 s, on worker strong`, `passed before on the same files`. */
export function toGateEndText(gate: EndedGate): string {
  if (gate.skipped === true) return 'not run: nothing that it is about has changed';
  const { attempts = 1, isCached = false, worker } = gate.evidence ?? {};
  const where = worker === undefined ? '' : `,${toWorkerText(worker)}`;
  if (isCached) return `passed before on the same files${where}`;
  return `${toExitText(gate)}${attempts > 1 ? ` at try ${attempts}` : ''}, ${toDurationText(gate.durationMs)}${where}`;
}

function toExitText(gate: EndedGate): string {
  if (gate.timedOut) return 'ran out of time';
  return gate.exitCode === null ? 'ended without an exit code' : `exit ${gate.exitCode}`;
}

/** What the gates showed, one line for each command: its last result, and how it went before. */
export function toEvidence(view: RunView): readonly string[] {
  const results = view.turns.flatMap((turn) => turn.gates);
  const names = [...new Set(results.map(toResultName))];
  return names.map((name) =>
    describeGate(
      name,
      results.filter((result) => toResultName(result) === name),
      view,
    ),
  );
}

function describeGate(name: string, results: readonly GateView[], view: Pick<RunView, 'notices'>): string {
  const last = results.at(-1);
  if (last === undefined) return '';
  const ran = results.filter((result) => result.skipped !== true && result.evidence?.isCached !== true);
  const failed = ran.filter((result) => toVerdictWords(view, result) !== 'passed').length;
  const before = results.length === 1 ? '' : `; ${toCount(ran.length, 'run')}, ${failed === 0 ? 'none' : failed} failed`;
  const verdict = toVerdictWords(view, last).replace('failed', 'FAILED');
  const { number = null, treeBefore = null, tree = null } = last.evidence ?? {};
  const record = number === null ? '' : `; evidence ${number}`;
  const same = last.startTests?.outcome === 'passed' ? ', also with the tests of the start' : '';
  const changed = last.passed && treeBefore !== tree ? ', about the files as they were after it' : '';
  return `${verdict}  ${toPlainLine(name, 200)} (${toGateEndText(last)}, iteration ${last.iteration}${changed}${same}${before}${record})`;
}

/** Notices of passes that held a completion back. */
const NO_PASSES = ['gate-lost-tests', 'gate-changed-tests'];

/** Whether a notice says that a pass did not count. */
export function isNoPass({ code }: Pick<RunView['notices'][number], 'code'>): boolean {
  return NO_PASSES.includes(code);
}

/** What a gate said, in a word or three; a pass that held a completion back all the same does not count. */
export function toVerdictWords({ notices }: Pick<RunView, 'notices'>, gate: GateView): GateVerdict {
  if (gate.skipped === true) return 'skipped';
  if (!gate.passed) return 'failed';
  const told = `${toResultName(gate)} passed, but`;
  const isLost = notices.some(({ code, at, text }) => NO_PASSES.includes(code) && at === gate.at && text.startsWith(told));
  return isLost ? 'did not count' : 'passed';
}

/** Gates that were red before the first turn, one line each. */
export function toBaseline(view: RunView): readonly string[] {
  return view.baseline.flatMap((result) => {
    if (result.passed) return [];
    const failed = result.failedTests === undefined ? '' : `, ${toCount(result.failedTests, 'failed test')}`;
    return [`red before the first turn: ${toPlainLine(toResultName(result), 200)} (${toGateEndText(result)}${failed})`];
  });
}

/** Gates that turned green in a run that changed no file which git knows, one line each: files that git ignores, or files elsewhere, have made them green. */
export function toUnseenCauses(view: RunView, changedFiles: number | null): readonly string[] {
  if (changedFiles !== 0) return [];
  const green = new Set(view.turns.flatMap((turn) => turn.gates.filter((gate) => gate.passed).map(toResultName)));
  const names = view.baseline.filter((result) => !result.passed && green.has(toResultName(result))).map(toResultName);
  return names.map(
    (name) =>
      `${toPlainLine(name, 200)} was red and is green, and no file that git knows has changed: look at what git ignores (installed packages, caches)`,
  );
}

/** What a completion owes to tests that the run changed, and who says why they had to change; one line for each gate. */
export function toChangedTests(view: RunView): readonly string[] {
  if (view.end?.reason !== 'completed') return [];
  const last = view.turns.at(-1)?.iteration;
  const at = view.turns.flatMap((turn) => turn.gates).findLast(({ iteration }) => iteration === last)?.at;
  const texts = view.notices.filter((notice) => notice.code === 'changed-tests' && notice.at === at).map((notice) => notice.text);
  return [...new Set(texts)];
}

/** Changed files that judge the work rather than being it: first what gates run, then what had to stay as it was, then tests; one line each. */
export function toChangedChecks(files: readonly ChangedFile[]): readonly string[] {
  return CHECKS.flatMap(([wanted, what]) => {
    const paths = files.filter((file) => file.class === wanted).map((file) => toPathText(file.path));
    return paths.length === 0 ? [] : [`${what}: ${cutText(toList(paths, 6), 300)}`];
  });
}

/** Lock files. A changed one explains why packages changed, and is listed among the changes. */
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|requirements[\w.-]*\.txt|Pipfile\.lock|poetry\.lock|uv\.lock|pdm\.lock)$/;

/** Installed packages that changed although no lock file did: gates that use them prove nothing. */
export function toChangedPackages({ packages, changed }: WorkFacts): readonly string[] {
  if (packages === undefined || packages.count === 0) return [];
  if (changed?.files.some(({ path }) => LOCKS.test(path)) === true) return [];
  const names = cutText(toList(packages.first.map(toPathText), 3), 200);
  const more = packages.count > 3 ? ` (${toCount(packages.count, 'file')}${packages.isWhole ? '' : ' of those that were looked at'})` : '';
  return [`installed packages changed since the run began, no lock file did: ${names}${more}`];
}

const CHECKS: readonly (readonly [PathClass, string])[] = [
  ['gate', 'changed by the run, and a gate does what it says'],
  ['protected', 'protected, and changed by the run'],
  ['test', 'tests changed by the run'],
];

/** Passes that held a completion back all the same, where the run did not come to its end: the last of each kind. */
export function toLostTests(view: RunView): readonly string[] {
  if (view.end?.reason === 'completed') return [];
  return [...new Set(view.notices.filter((notice) => NO_PASSES.includes(notice.code)).map((notice) => notice.text))].slice(-3);
}

/** Completions without any work in their turn, one line each. */
export function toIdleClaims(view: RunView): readonly string[] {
  return view.notices.filter((notice) => notice.code === 'idle-completion').map((notice) => notice.text);
}

/** What was refused, one line for each kind, the frequent ones first. */
export function toRefusals(view: RunView): readonly string[] {
  const counts = new Map<string, number>();
  // What was not taken over, and is done again, is no news at the end.
  const isOver = ({ conflict }: TurnView): boolean => conflict?.isGivenAgain === true;
  for (const { hat, topic, why } of view.turns.flatMap((turn) => turn.refused.filter((one) => one.why !== 'conflict' || !isOver(turn)))) {
    const text = toRefusalText({ hat, topic, why });
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}

/** A refusal in words. */
export function toRefusalText(refusal: {
  readonly hat: string;
  readonly topic: string;
  readonly why: RejectionCause;
  readonly detail?: string;
}): string {
  const { hat, topic, why, detail } = refusal;
  switch (why) {
    case 'scope':
      return `${hat} may not publish ${topic}`;
    case 'may-not-end':
      return `${hat} may not end the run (${topic})`;
    case 'failed-turn':
      return `${topic} of ${hat} came from a turn that failed`;
    case 'withdrawn':
      return `${topic} of ${hat} was written by an interrupted turn`;
    case 'conflict':
      return `${topic} of ${hat} came from a turn whose work was not taken over`;
    case 'required-events':
      return `${topic} of ${hat} came before events that are required`;
    case 'payload':
      return `${topic} of ${hat} has a payload that its schema refuses${detail === undefined ? '' : `: ${toPlainLine(detail, 400)}`}`;
    case 'unknown-hat':
      return `${hat} called a hat that does not exist (${topic})`;
    case 'channel-off':
      return `${topic} of ${hat} came through a channel that is off`;
    case 'gate':
      return `${topic} of ${hat} was refused by a gate`;
    case 'hook':
      return `${topic} of ${hat} was held back by a hook`;
    case 'held':
      return `${topic} of ${hat} waits: an event of a person goes first`;
  }
}
