import { constants, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { toWorkerMarker } from '../app/assemble-run.ts';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import { createPathRewriter } from '../core/panel/rewrite-paths.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import type { TurnFailure } from '../core/run/turn.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import { fromContent } from '../fleet/messages.ts';
import { createRoundControls } from '../fleet/round-controls.ts';
import type { PanelRoundTask, SentWorkOf } from '../fleet/round-messages.ts';
import { sendChanges } from '../fleet/run-records.ts';
import type { Job } from '../fleet/take-work.ts';
import { isTooLarge, toLeftOutText, toTooLarge, toWholeMessage } from '../fleet/too-large.ts';
import { createManifestReader, listApart, type Manifest, packFiles } from '../fleet-runs/folder-manifest.ts';
import { sendFiles } from '../fleet-runs/offer-to-fleet.ts';
import { fetchChanges } from '../fleet-runs/sent-work.ts';
import type { Repository } from '../git/contract.ts';
import { GitProblem } from '../git/git.ts';
import { createEventRedactor } from '../loop/shell/redact-input.ts';
import { createLastWords } from '../panel/run/last-words.ts';
import { openWorkspace } from '../panel/share/open-workspace.ts';
import { shareSnapshot, toViewFolder } from '../panel/share/share-snapshot.ts';
import { snapshotWork } from '../panel/share/snapshot-work.ts';
import type { HandedIn, PanelHand, RunningTurn, TurnRequest, TurnResult } from '../ports/backend.ts';
import { removeTree } from '../process/remove-tree.ts';
import { writeChanges } from '../workspace/bundle/file-changes.ts';
import type { OrderTaker, WorkerPlace } from './worker-place.ts';

/** The folders of an agent for one round. Absolute paths. */
interface RoundFolder {
  readonly cwd: string;
  /** Its work as it was when the round began. */
  readonly before: string;
  readonly turn: string;
  readonly top: string;
  /** A file that names the conversation that the agent had here last. */
  readonly session: string;
}

/** Works on the round of a panel's agent as a panel on this machine would; what the agent hands in is decided where the run is. How it ended. */
export async function takeRound(taker: OrderTaker, place: WorkerPlace, job: Job, task: PanelRoundTask): Promise<string> {
  const folder = await openFolder(taker, place, task);
  try {
    return await workIn(folder, taker, place, { job, task });
  } finally {
    removeTree(folder.top);
  }
}

interface OrderedRound {
  readonly job: Job;
  readonly task: PanelRoundTask;
}

async function workIn(folder: RoundFolder, taker: OrderTaker, place: WorkerPlace, { job, task }: OrderedRound): Promise<string> {
  const toHome = createPathRewriter({ roots: [{ path: folder.cwd, shown: task.cwd }] });
  const redact = (text: string): string => place.run.ports.redaction?.text(text) ?? text;
  const reports = createReports(job);
  const collect = createCollector(taker, place, folder);
  const hand = createAwayHand(task, { reports, collect, toHome: (text) => toHome(redact(text)) });
  const words = createLastWords(MAX_SAID);
  const { request, settle, close, keepsSession } = await openRound(taker, place, { task, folder, hand: hand.hand });
  if (job.fenced.aborted) {
    hand.giveUp();
    await settle?.();
    await close?.();
    return 'given up';
  }
  let session: string | null = null;
  const heard = createEventRedactor(place.run.ports.redaction, (event) => {
    words.take(event);
    if (event.type === 'session' && keepsSession) session = event.sessionId;
    reports.take(event, task);
  });
  const running = request.start(heard.take);
  job.fenced.addEventListener('abort', () => {
    hand.giveUp();
    running.kill();
  });
  const show = (works: readonly SentWorkOf[]): Promise<void> => showWorks(taker, folder, works);
  job.onEffect(createRoundControls(taker.fleet, { running, reply: hand.reply, show }));
  const result = await running.result;
  heard.end();
  // Where the run is lost, nobody decides any more.
  const late = setTimeout(hand.giveUp, REPLY_MS);
  await Promise.resolve(settle?.()).finally(() => clearTimeout(late));
  const found = (await close?.()) ?? null;
  if (job.fenced.aborted) return 'given up';
  const changes = await collect();
  const toHomeText = (text: string): string => redact(text).replaceAll(folder.cwd, () => task.cwd);
  // What failed may be the conversation itself.
  if (session !== null && result.status !== 'failed') writeFileSync(folder.session, session, { mode: 0o600 });
  const files = await sendFiles(taker.fleet.blobs, folder.turn, toHomeText, OUTPUTS);
  const left = OUTPUTS.filter((name) => existsSync(join(folder.turn, name)) && !files.some((file) => file.name === name));
  if (left.length > 0)
    reports.tell({ kind: 'round-told', event: { type: 'warning', message: toLeftOutText(`the round of agent ${task.id}`, left) } });
  await reports.settled();
  const failure = result.failure === null ? null : { ...result.failure, message: toHomeText(result.failure.message) };
  const told = { ...result, failure };
  await job.report({
    kind: 'round',
    result: told,
    said: toHome(words.said()),
    changes,
    files,
    found: found === null ? null : toHomeText(found),
  });
  await place.tree.leave();
  return result.status;
}

/** Says that it could not be worked on, and why: another worker may have what this one lacks. */
export async function reportUntakenRound(job: Job, id: string, error: unknown): Promise<string> {
  const failure: TurnFailure = isTooLarge(error)
    ? { class: 'agent', message: `on worker ${id}: ${toWholeMessage(error)}` }
    : { class: 'transient', message: `the worker ${id} is in trouble: ${toErrorMessage(error)}` };
  const result: TurnResult = { ...NO_WORK, status: 'failed', failure, logError: null };
  await job.report({ kind: 'round', result, said: '', changes: null, files: [], found: null });
  return 'failed';
}

const CONVERSATION = 'session.jsonl';
const OUTPUTS = ['stdout.log', 'stderr.log', CONVERSATION];
/** So much of a last message travels, in characters: more than any answer may have. */
const MAX_SAID = 1_000_000;
/** So long a verdict is waited for behind the end of an agent. */
const REPLY_MS = 300_000;
/** What a panel on one machine takes. */
const WORKSPACE_LIMIT = '100,000 files and 2 GB';

/** A copy of the folder without its repository, and beside it what was shown and said before. */
async function openFolder({ fleet }: OrderTaker, { file, panels }: WorkerPlace, task: PanelRoundTask): Promise<RoundFolder> {
  mkdirSync(panels, { recursive: true });
  const top = join(realpathSync(panels), task.home, task.token);
  removeTree(top);
  const turns = join(top, 'turns');
  const folder: RoundFolder = {
    ...{ top, cwd: join(top, 'work'), before: join(top, 'before'), turn: join(turns, `${task.round}.1`), session: `${top}.session` },
  };
  mkdirSync(folder.turn, { recursive: true });
  const { settings, workspace } = file;
  await openWorkspace({ from: workspace, to: folder.cwd, links: settings.worktreeLinks, skipped: [settings.stateDir] });
  await snapshotWork(folder.cwd, folder.before);
  await showWorks({ fleet }, folder, task.works);
  for (const { round, ...content } of task.conversations) {
    const text = Buffer.from(await fromContent(fleet.blobs, content)).toString('utf8');
    mkdirSync(join(turns, `${round}.1`), { recursive: true });
    writeFileSync(
      join(turns, `${round}.1`, CONVERSATION),
      text.replaceAll(task.cwd, () => folder.cwd),
      { mode: 0o600 },
    );
  }
  return folder;
}

/** Puts work of others where the agent can read it: each is what the agent began with, but for what differs. */
async function showWorks(
  { fleet }: Pick<OrderTaker, 'fleet'>,
  { top, cwd, before }: RoundFolder,
  works: readonly SentWorkOf[],
): Promise<void> {
  for (const { name, view, changes } of works) {
    const made = join(top, 'shown');
    removeTree(made);
    await cp(before, made, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    writeChanges(made, await fetchChanges(fleet.blobs, changes));
    await shareSnapshot(made, toViewFolder(cwd, view), name);
    removeTree(made);
  }
}

/** Keeps the order in which things are reported. */
function createReports(job: Job) {
  let told: Promise<unknown> = Promise.resolve();
  let aliveAt = 0;
  const tell = (words: Parameters<Job['report']>[0]): void => {
    told = told.then(() => job.report(words)).catch(() => undefined);
  };
  return {
    tell,
    settled: (): Promise<unknown> => told,
    take: (event: BackendEvent, { effect }: PanelRoundTask): void => {
      if (REPORTED.has(event.type)) return tell({ kind: 'round-told', event });
      const isDue = Date.now() - aliveAt >= ALIVE_MS;
      if (event.type !== 'usage' && !isDue) return;
      aliveAt = Date.now();
      const { iteration, attempt, hat } = effect;
      job.show({ kind: 'live', iteration, attempt, hat, event: event.type === 'usage' ? event : { type: 'alive' } });
    },
  };
}

/** All else passes by: that it lives, and what it has used. */
const REPORTED: ReadonlySet<BackendEvent['type']> = new Set(['started', 'session', 'injected', 'warning', 'tool-denied', 'hook-ran']);
const ALIVE_MS = 2000;

/** What became of the agent's work since it was asked last, as it is sent; `null` for nothing. One after the other. Throws RalphError `fleet-too-large`, the system error. */
export function createCollector(
  { fleet }: Pick<OrderTaker, 'fleet'>,
  { file: { settings }, repository }: Pick<WorkerPlace, 'file' | 'repository'>,
  { top, cwd, before }: Pick<RoundFolder, 'top' | 'cwd' | 'before'>,
) {
  const skipped = [settings.stateDir, ...settings.worktreeLinks];
  const taken = join(top, 'taken');
  let last: Promise<Manifest> | undefined;
  let collecting: Promise<unknown> = Promise.resolve();
  const collect = async (): Promise<Json> => {
    const known = await (last ?? createManifestReader()(before, skipped));
    const { leftOut, isTooLarge: isCut } = await snapshotWork(cwd, taken);
    if (isCut) throw toTooLarge('What is in its folder', WORKSPACE_LIMIT);
    const now = await createManifestReader()(taken, skipped);
    // Behind what cannot be read may be anything: that it is not seen does not say that it is gone.
    const apart = listApart(known, now).filter((path) => !leftOut || now.has(path) || isBehindFile(path, now));
    const ignored = await listIgnoredFiles(
      repository,
      taken,
      apart.filter((path) => now.has(path)),
    );
    const paths = apart.filter((path) => !ignored.has(path));
    const changes = await packFiles(fleet.blobs, taken, paths, known);
    const sent = new Map(known);
    for (const path of paths) {
      const file = now.get(path);
      if (file === undefined) sent.delete(path);
      else sent.set(path, file);
    }
    const body = changes.length === 0 ? null : await sendChanges(fleet.blobs, changes);
    // What could not be sent is sent with the next one.
    last = Promise.resolve(sent);
    removeTree(taken);
    return body;
  };
  return (): Promise<Json> => {
    const collected = collecting.then(collect);
    collecting = collected.catch(() => undefined);
    return collected;
  };
}

/** Whether a file or a link stands now where a folder was that had it. */
function isBehindFile(path: string, now: Manifest): boolean {
  const parts = path.split('/');
  return parts.some((_, at) => at > 0 && now.has(parts.slice(0, at).join('/')));
}

/** What git ignores stays here, as of a turn: by the rules and the folders as the agent has left them. Throws GitProblem. */
async function listIgnoredFiles({ git }: Pick<Repository, 'git'>, folder: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const input = paths.map((path) => `${path}\0`).join('');
  const { stdout, exitCode, problem } = await git(['check-ignore', '-z', '--stdin'], { input, env: { GIT_WORK_TREE: folder } });
  // 1: none is ignored.
  if (exitCode !== 0 && exitCode !== 1) throw new GitProblem(problem);
  return new Set(stdout.split('\0'));
}

const NOT_DECIDED: HandedIn = { isAccepted: false, text: 'The run is being stopped: nothing was taken.' };

interface HandTools {
  readonly reports: Pick<ReturnType<typeof createReports>, 'tell'>;
  readonly collect: () => Promise<Json>;
  readonly toHome: (text: string) => string;
}

/** What the agent hands in with: it waits for the verdict of the run. */
function createAwayHand({ task, candidates, topics }: PanelRoundTask, { reports, collect, toHome }: HandTools) {
  const waiting = new Map<number, (handed: HandedIn) => void>();
  let calls = 0;
  let isGivenUp = false;
  const ask = (call: number): Promise<HandedIn> =>
    new Promise((resolve) => (isGivenUp ? resolve(NOT_DECIDED) : waiting.set(call, resolve)));
  const hand: PanelHand = {
    ...{ task, candidates, topics },
    answer: async (content, topic) => {
      calls += 1;
      const call = calls;
      try {
        const changes = await collect();
        const reply = ask(call);
        const handIn = { kind: 'answer' as const, content: toHome(content), ...(topic !== undefined && { topic: toHome(topic) }) };
        reports.tell({ kind: 'round-hand-in', call, handIn, changes });
        return await reply;
      } catch (error) {
        return { isAccepted: false, text: toWholeMessage(error) };
      }
    },
    vote: (target, reason) => {
      calls += 1;
      const reply = ask(calls);
      reports.tell({ kind: 'round-hand-in', call: calls, handIn: { kind: 'vote', target, reason: toHome(reason) }, changes: null });
      return reply;
    },
  };
  return {
    hand,
    reply: (call: number, handed: HandedIn): void => {
      waiting.get(call)?.(handed);
      waiting.delete(call);
    },
    /** Nothing is decided any more. */
    giveUp: (): void => {
      isGivenUp = true;
      for (const resolve of waiting.values()) resolve(NOT_DECIDED);
      waiting.clear();
    },
  };
}

interface RoundAtWork {
  readonly request: { readonly start: (observe: (event: BackendEvent) => void) => RunningTurn };
  readonly settle?: (() => Promise<void>) | undefined;
  readonly close?: (() => Promise<string | null>) | undefined;
  /** Its program can go on with the conversation of this round in the next one. */
  readonly keepsSession: boolean;
}

/** What is around the agent, its prompt, and how it is started. */
async function openRound(
  { mark }: OrderTaker,
  { run }: WorkerPlace,
  { task, folder, hand }: { readonly task: PanelRoundTask; readonly folder: RoundFolder; readonly hand: PanelHand },
): Promise<RoundAtWork> {
  const source = run.panelAgentOf(task.effect, task.agent);
  if (source === null) throw new Error('the order names an agent that the panel of its hat does not have');
  const promptFile = join(folder.turn, 'prompt.md');
  // Before what is around it: a sandbox shows only what is there.
  writeFileSync(promptFile, '', { mode: 0o600 });
  const { cwd } = folder;
  const name = `${task.round}.1`;
  const around = await source.surroundings({ cwd, token: task.token, name, promptFile, hand, shown: () => [] });
  const { settle, close, ...held } = around;
  // In a sandbox a program has a home of its own for each turn, and no conversation of another.
  const keepsSession = source.canResume && held.scope?.confine === undefined;
  const known = keepsSession ? findConversation(folder, task) : null;
  rmSync(folder.session, { force: true });
  const toHere = createPathRewriter({ roots: [{ path: task.cwd, shown: cwd }] });
  const prompt = toHere(known?.prompt ?? task.prompt);
  writeFileSync(promptFile, prompt, { mode: 0o600 });
  const request: TurnRequest = {
    ...held,
    marker: toWorkerMarker(mark, held.marker),
    ...{ turn: { iteration: task.round, attempt: 1 }, prompt, promptFile, hand },
    ...(known !== null && { session: known.session }),
    ...{ timeoutMs: task.timeoutMs, idleTimeoutMs: task.idleTimeoutMs },
    logs: { stdoutPath: join(folder.turn, 'stdout.log'), stderrPath: join(folder.turn, 'stderr.log'), capBytes: task.capBytes },
  };
  return { request: { start: (observe) => source.backend.start(request, observe) }, settle, close, keepsSession };
}

/** The conversation with which it can go on, if that was the last one that the agent had in this folder. */
function findConversation({ session }: RoundFolder, { resumable }: PanelRoundTask): PanelRoundTask['resumable'] {
  if (resumable === null || !existsSync(session)) return null;
  return readFileSync(session, 'utf8') === resumable.session ? resumable : null;
}
