import { writeFileSync } from 'node:fs';
import type { GateResult, StartTestsResult } from '../core/gates/gate-result.ts';
import { type GateSpec, isRequiredGate, mayStayRed } from '../core/gates/gate-spec.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import { quietly } from '../core/values/result.ts';
import type { GateOrder, GateRunner, RunAway } from '../ports/gate-runner.ts';
import type { TreeState } from '../ports/tree-reader.ts';
import { keepLog, rewriteLog } from './evidence-store.ts';
import type { GateCase, GateRequest, GateRunnerSettings } from './gate-contract.ts';
import { createGateRunState, type GateRunState } from './gate-run-state.ts';
import { toScope, toScopeKey } from './gate-scope.ts';
import { KEPT_BYTES, toCommandVerdict, toResult, toUnrun } from './gate-verdict.ts';
import { hasPassed, redactOutput, runAttempts } from './run-attempts.ts';
import { toExcerpt } from './to-excerpt.ts';

/** At the start git could tell the files apart: an agent that takes that away must gain nothing by it. */
const UNSEEN: StartTestsResult = { outcome: 'unknown', changed: [], total: 0, outputTail: 'Git no longer tells which files there are.' };

/**
 * Runs gates with `/bin/sh`, some of them at once. A gate has passed when its shell ended by itself with 0 and within its time; whatever
 * it left running is ended. A gate that fails does not keep the others from running: the agent should hear of all at once. Only an abort
 * does, and then the rest count as failed. A gate that passed is not run again while the files that it is about are the same.
 */
export function createGateRunner(settings: GateRunnerSettings): GateRunner {
  const state = createGateRunState(settings);
  return {
    run: async (orders, signal, observe) => {
      const request: GateRequest = { signal, observe, look: { atStep: -1, state: null } };
      const commands = orders.filter(({ spec }) => spec.protect === undefined);
      const judged = await Promise.all(commands.map((order) => judgeCommand(state, { ...request, order })));
      // Last, so that it also sees what a gate itself did to the protected files.
      const pinned: GateResult[] = [];
      for (const order of orders) if (order.spec.protect !== undefined) pinned.push(await judgeProtected(state, { ...request, order }));
      const tried = await withStartTests(state, request, orders, [...judged, ...pinned]);
      return withFreshness(state, request, orders, tried);
    },
  };
}

/** The verdict of a gate that runs a command: remembered where nothing changed since, else by running it. Never rejects. */
function judgeCommand(state: GateRunState, given: GateCase): Promise<GateResult> {
  const { spec } = given.order;
  const away = findAway(state, spec);
  const judge = async (): Promise<GateResult> => {
    if (given.signal.aborted) return toUnrun(given, spec.run, STOPPED);
    const command = findCommand(state, spec);
    if (command === null) return toUnrun(given, spec.run, toUnknownCheckText(spec));
    const before = await toScope(await state.look(given.look), spec);
    const known = recall(state, given, command, before);
    if (known !== undefined) return known;
    return away === null ? runGate(state, given, command, before) : runElsewhere(state, given, { command, treeBefore: before, away });
  };
  // How many run at once is about this machine.
  const isFree = away !== null && spec.serial !== true;
  return state.inTurn(toMemoryName(state, spec, spec.run), isFree ? judge : () => state.slots.run(spec.serial === true, judge));
}

const STOPPED = 'not run: the run was stopped';

/** Who runs a gate that needs a worker; `null`: it runs here. */
function findAway({ settings }: GateRunState, { runsOn }: GateSpec): RunAway | null {
  return runsOn === undefined ? null : (settings.runAway ?? null);
}

/** What a command showed on one kind of machine says nothing about another. */
function toMemoryName(state: GateRunState, spec: GateSpec, command: string): string {
  return findAway(state, spec) === null ? command : JSON.stringify([command, spec.runsOn]);
}

function findCommand({ settings }: GateRunState, { check, run }: GateSpec): string | null {
  return check === undefined || run !== check ? run : (settings.findCheck?.(check) ?? null);
}

function toUnknownCheckText({ check = 'tests' }: GateSpec): string {
  return `The files of this folder do not say how its ${check === 'tests' ? 'tests are run' : `${check} is done`}; no command is known for it. Add it where it belongs (package.json scripts, Makefile, …), or name the command in the gate: run: COMMAND`;
}

/** A verdict that stands already: nothing under `only_if` changed since the run began, or the same files passed before. */
function recall(state: GateRunState, given: GateCase, command: string, tree: string | null): GateResult | undefined {
  const { spec } = given.order;
  if (tree === null) return undefined;
  const isUntouched = spec.onlyIf !== undefined && state.settings.startScopes?.[toScopeKey(spec)] === tree;
  if (isUntouched) return { ...toUnrun(given, command, 'not run: no path of its only_if changed'), passed: true, skipped: true };
  const known = spec.cache === false ? undefined : state.memory.recall(toMemoryName(state, spec, command), tree);
  if (known?.evidence === undefined) return undefined;
  // Another gate may have run the same command under another name.
  const { name: _, ...facts } = known;
  const named = spec.name === undefined ? {} : { name: spec.name };
  return { ...facts, ...named, gate: given.order.gate, evidence: { ...known.evidence, isCached: true } };
}

async function runGate(state: GateRunState, given: GateCase, command: string, treeBefore: string | null): Promise<GateResult> {
  const { order, signal, observe } = given;
  const file = state.store?.open() ?? null;
  const startedAt = Date.now();
  const end = state.begin();
  const onLine = (line: string): void => observe(order.gate, line);
  const results = await runAttempts(state.settings, { command, spec: order.spec, file, signal, onLine });
  const isAlone = end();
  const tree = await toScope(await state.look(given.look), order.spec);
  const last = results.at(-1) ?? results[0];
  const verdict = toCommandVerdict(order.spec, last, hasPassed(last));
  const durationMs = Math.round(results.reduce((sum, entry) => sum + entry.durationMs, 0));
  const attempts = results.map(({ exitCode, stopReason, durationMs: ms }) => ({
    exitCode,
    timedOut: stopReason === 'timeout',
    durationMs: Math.round(ms),
  }));
  // Files that changed beside it may have been seen in part: such a verdict is about no state of them. What it changed itself it answers for.
  const isFresh = isAlone || treeBefore === tree;
  const result = toResult(state.store, given, { command, verdict, file, startedAt, durationMs, attempts, treeBefore, tree, isFresh });
  if (result.passed && isFresh && tree !== null && !signal.aborted) state.memory.keep(command, tree, result);
  return result;
}

interface AwayCase {
  readonly command: string;
  readonly treeBefore: string | null;
  readonly away: RunAway;
}

/** Runs a gate on a worker: its verdict is about the files as they were when they were sent. */
async function runElsewhere(state: GateRunState, given: GateCase, { command, treeBefore, away }: AwayCase): Promise<GateResult> {
  const { order, signal, observe, look } = given;
  const { gate, spec } = order;
  const ended = await away({ gate, spec, command }, signal, (line) => observe(gate, redactOutput(state.settings, line)));
  if (ended.kind === 'stopped') return toUnrun(given, command, STOPPED);
  if (ended.kind === 'lost') return toUnrun(given, command, ended.why);
  const file = state.store?.open() ?? null;
  keepLog(file, ended.log);
  if (file !== null) rewriteLog(file, (text) => redactOutput(state.settings, text));
  // No command ran here, but time has passed: somebody may have changed files.
  look.state = null;
  const isFresh = treeBefore === (await toScope(await state.look(look), spec));
  const { worker, shown } = ended;
  const { durationMs, attempts, ...verdict } = { ...shown, outputTail: redactOutput(state.settings, shown.outputTail) };
  const startedAt = Date.now() - durationMs;
  const trees = { treeBefore, tree: treeBefore, isFresh };
  const result = toResult(state.store, given, { command, verdict, file, startedAt, durationMs, attempts, ...trees, worker });
  if (result.passed && isFresh && treeBefore !== null && !signal.aborted)
    state.memory.keep(toMemoryName(state, spec, command), treeBefore, result);
  return result;
}

/** The verdict of the gate on protected files: they are as they were when the run began. Never rejects. */
async function judgeProtected(state: GateRunState, given: GateCase): Promise<GateResult> {
  const { run } = given.order.spec;
  if (given.signal.aborted) return toUnrun(given, run, STOPPED);
  const startedAt = Date.now();
  const tree = (await state.look(given.look))?.hash ?? null;
  const shown = await (state.settings.checkProtected?.() ?? Promise.resolve('')).catch(toProblem);
  const changes = redactOutput(state.settings, shown);
  const passed = changes === '';
  const file = state.store?.open() ?? null;
  // The verdict says it as well.
  if (file !== null) quietly(() => writeFileSync(file.logPath, changes));
  // Not shortened in the middle: a difference has no end that sums up.
  const outputTail = Buffer.byteLength(changes) <= KEPT_BYTES ? changes : `${toStart(changes)}\n[…]`;
  const verdict = { passed, exitCode: passed ? 0 : 1, timedOut: false, outputTail, isCut: outputTail !== changes };
  const durationMs = Date.now() - startedAt;
  return toResult(state.store, given, {
    command: run,
    verdict,
    file,
    startedAt,
    durationMs,
    attempts: [],
    treeBefore: tree,
    tree,
    isFresh: true,
  });
}

/** The first whole lines; of a single endless one the beginning. */
function toStart(text: string): string {
  const start = Buffer.from(text)
    .subarray(0, KEPT_BYTES - 100)
    .toString('utf8');
  const end = start.lastIndexOf('\n');
  return end < 0 ? start.replace(/\uFFFD$/, '') : start.slice(0, end);
}

function toProblem(error: unknown): string {
  return toExcerpt(`The protected files could not be looked at: ${toErrorMessage(error)}`, false, '', KEPT_BYTES).text;
}

/** Before the end also tries the gates that passed on the tests as they were at the start; not where the end is refused anyway. */
async function withStartTests(
  state: GateRunState,
  { signal, observe, look }: GateRequest,
  orders: readonly GateOrder[],
  judged: readonly GateResult[],
): Promise<readonly GateResult[]> {
  const { tryStartTests } = state.settings;
  const required = orders.filter(({ spec }) => isRequiredGate(spec));
  const passed = new Set(judged.flatMap((result) => (result.passed ? [result.gate] : [])));
  const isRefused = required.some(({ gate, spec }) => !passed.has(gate) && !mayStayRed(spec));
  if (tryStartTests === undefined || signal.aborted || isRefused) return judged;
  const ran = new Set(judged.flatMap((result) => (result.passed && result.skipped !== true ? [result.gate] : [])));
  const due = required.filter(
    ({ gate, spec, isEnd }) => isEnd === true && ran.has(gate) && spec.protect === undefined && spec.mayChangeTests !== true,
  );
  if (due.length === 0) return judged;
  const now = await state.look(look);
  if (now === null) {
    return judged.map((result) => (due.some(({ gate }) => gate === result.gate) ? { ...result, startTests: UNSEEN } : result));
  }
  // It takes time, in which files may change.
  const end = state.begin();
  const tried = await tryStartTests(
    due.map(({ gate }) => gate),
    now,
    { signal, observe },
  );
  end();
  return judged.map((result) => {
    const startTests = tried.get(result.gate);
    return startTests === undefined ? result : { ...result, startTests: withoutVoid(startTests, result) };
  });
}

/** A runner that finds no test in the copy has tried nothing, however well it ends. */
function withoutVoid(tried: StartTestsResult, { ranTests = 0 }: GateResult): StartTestsResult {
  const isVoid = tried.outcome === 'passed' && ranTests > 0 && (tried.ranTests ?? 0) === 0;
  return isVoid ? { ...tried, outcome: 'unknown', outputTail: 'In a copy of the folder it runs no tests.' } : tried;
}

/** The results in the order of the orders; those about files that have changed since are marked. */
async function withFreshness(
  state: GateRunState,
  { signal, look }: GateRequest,
  orders: readonly GateOrder[],
  judged: readonly GateResult[],
): Promise<readonly GateResult[]> {
  const now = signal.aborted ? null : await state.look(look);
  const results: GateResult[] = [];
  for (const { gate, spec } of orders) {
    const result = judged.find((entry) => entry.gate === gate);
    if (result !== undefined) results.push(await withStaleness(result, spec, now));
  }
  return results;
}

async function withStaleness(result: GateResult, spec: GateSpec, now: TreeState | null): Promise<GateResult> {
  const { evidence } = result;
  if (evidence === undefined || evidence.tree === null) return result;
  const scope = await toScope(now, spec);
  return scope === null || scope === evidence.tree ? result : { ...result, evidence: { ...evidence, isFresh: false } };
}
