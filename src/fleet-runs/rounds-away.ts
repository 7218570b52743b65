import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BackendEvent } from '../core/backends/backend-event.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { NO_WORK } from '../core/run/inputs.ts';
import type { PanelState } from '../core/run/panel-state.ts';
import { type TurnId, toRoundName, toTurnName } from '../core/run/turn.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { Json } from '../core/values/json.ts';
import { limitFetching } from '../fleet/fetch-report.ts';
import { ROUND_PROTOCOL, TURN_PROTOCOL, toBody, toContent } from '../fleet/messages.ts';
import { type OfferedRound, type OfferedRoundEnd, offerRounds, type RoundOffer, type RoundOfferSettings } from '../fleet/offer-rounds.ts';
import type { PanelRoundTask, RoundEnd, SentConversation, SentHandIn, SentWorkOf } from '../fleet/round-messages.ts';
import { readChanges, type SentTree, sendChanges } from '../fleet/run-records.ts';
import { MAX_OUTPUT_BYTES, toLeftOutText } from '../fleet/too-large.ts';
import type { Repository } from '../git/contract.ts';
import { isTaken } from '../panel/share/list-workspace.ts';
import { readBase, toBasePath } from '../panel/share/workspace-base.ts';
import type { HandedIn, PanelHand, RunningTurn, TurnResult } from '../ports/backend.ts';
import type { WorkerFacts } from '../ports/fleet.ts';
import type { PanelRound, PanelRounds, ShownWork } from '../ports/panel-rounds.ts';
import { steadyMs } from '../process/steady-clock.ts';
import { type LabelSettings, toTurnLabels } from '../runs/turn-labels.ts';
import { findSpec } from '../turns/hat-facts.ts';
import { writeChanges } from '../workspace/bundle/file-changes.ts';
import type { Snapshot } from '../workspace/checkpoint/create-workspace.ts';
import { putFiles } from './bring-turn.ts';
import { createManifestReader, listApart, type Manifest, packFiles, readTreeManifest } from './folder-manifest.ts';
import { toFileChanges } from './sent-work.ts';

/** A run whose panels have their rounds taken by workers. */
export interface RoundsAwayParts extends RoundOfferSettings {
  readonly repository: () => Promise<Repository>;
  /** What is no work, beside git's own and the agents' notes. */
  readonly skipped: readonly string[];
  /** Looks at the folder of the run. */
  readonly look: () => Promise<Snapshot>;
  /** Sends the folder as it was; it need not be kept. */
  readonly send: (seen: Snapshot) => Promise<SentTree>;
  /** What an order of the run says beside its tree; rejects where the run is not this process's own any more. */
  readonly describe: () => Promise<object>;
  /** Asks whether the run is still this process's own. Rejects where it is not. */
  readonly confirm: () => Promise<void>;
  /** What a worker must have for a round. */
  readonly labelsOf: (round: Pick<PanelRound, 'order' | 'agent'>) => readonly string[];
}

/** Rounds of panels that workers take. */
export interface RoundsAway extends PanelRounds {
  /** Ends those that a process before this one offered for a turn, and that had not ended. Never rejects. */
  readonly withdraw: (turn: TurnId & { readonly panel?: PanelState }) => Promise<void>;
  /** Ends all. Never rejects. */
  readonly close: () => Promise<void>;
}

/** The folder of the run as the agents of a panel were given it. */
interface PanelTree {
  readonly sent: SentTree;
  readonly manifest: Manifest;
  readonly read: ReturnType<typeof createManifestReader>;
}

/** Gives the rounds of panels to the workers of a fleet. Where an agent works there, its folder here stands still, and gets what it changed. */
export function createRoundsAway(parts: RoundsAwayParts): RoundsAway {
  const offered = offerRounds(parts);
  let last: { readonly turn: string; readonly tree: Promise<PanelTree> } | null = null;
  const treeOf = (turn: string): Promise<PanelTree> => {
    if (last?.turn !== turn) last = { turn, tree: sendPanelTree(parts) };
    const { tree } = last;
    tree.catch(() => {
      // Tried again with the next round.
      last = null;
    });
    return tree;
  };
  return {
    start: (round, observe) => startRound({ parts, offered, treeOf }, round, observe),
    withdraw: ({ panel, ...turn }) => {
      const names = (panel?.agents ?? []).flatMap(({ status, round }, agent) =>
        status === 'working' || status === 'ending' ? [toRoundName(turn, agent, round)] : [],
      );
      return offered.withdraw(names);
    },
    close: offered.close,
  };
}

async function sendPanelTree({ look, send, repository, skipped }: RoundsAwayParts): Promise<PanelTree> {
  const seen = await look();
  const sent = await send(seen);
  return { sent, manifest: await readTreeManifest(await repository(), seen.tree ?? '', skipped), read: createManifestReader() };
}

interface RoundTools {
  readonly parts: RoundsAwayParts;
  readonly offered: ReturnType<typeof offerRounds>;
  readonly treeOf: (turn: string) => Promise<PanelTree>;
}

function startRound(tools: RoundTools, round: PanelRound, observe: Parameters<PanelRounds['start']>[1]): RunningTurn {
  const { parts } = tools;
  const { request, order, agent, id } = round;
  const packer = createPacker(tools, round);
  const home = new AbortController();
  const heard = createRoundListener(observe);
  const bringIn = createBringer(parts, round, home.signal);
  const offer: RoundOffer = {
    name: toRoundName(order, agent, request.turn.iteration),
    title: `Agent ${id}`,
    labels: parts.labelsOf(round),
    pack: packer.pack,
    see: heard.see,
    take: async (words, worker) => {
      if (words.kind === 'round-told') return heard.take(words.event, worker);
      const { call, handIn, changes } = words;
      const handed = await heard
        .countHandIn(() => bringIn(changes))
        .then(() => handOver(request.hand, handIn))
        .catch(
          (error: unknown): HandedIn => ({ isAccepted: false, text: `What you changed could not be taken: ${toErrorMessage(error)}` }),
        );
      running.say(async () => ({ type: 'round-reply', call, ...handed }));
    },
  };
  const running: OfferedRound = tools.offered.start(offer);
  const result = running.result.then(async (end) => {
    // What is on its way of one that is lost comes into no folder any more.
    if (end.kind !== 'ended') home.abort();
    const settled = await toResult(parts, round, { end, signal: home.signal, bringIn, usage: heard.usage() }, observe);
    heard.close();
    return settled;
  });
  return {
    result,
    stop: (graceMs) => running.say(async () => ({ type: 'round-stop', graceMs })),
    kill: () => {
      home.abort();
      running.kill();
    },
    finish: () => running.say(async () => ({ type: 'round-finish' })),
    tell: (words) => {
      heard.expect(words.id);
      running.say(async () => ({ type: 'round-tell', words, works: await packer.packNews() }));
    },
  };
}

/** More hand-ins of a round are refused before anything comes here for them. */
const MAX_HAND_INS = 50;

/** Hears what a worker says of a round, as often as an agent could have said it here. */
function createRoundListener(observe: Parameters<PanelRounds['start']>[1]) {
  const told = new Set<string>();
  let [isOver, isStarted, handIns] = [false, false, 0];
  let used = NO_WORK.usage;
  return {
    usage: (): TurnResult['usage'] => used,
    close: (): void => {
      isOver = true;
    },
    /** The agent is told this. */
    expect: (id: string): void => void told.add(id),
    see: (event: BackendEvent): void => {
      if (event.type === 'usage') used = event.usage;
      if (!isOver) observe(event);
    },
    take: (event: BackendEvent, worker: string): void => {
      if (event.type === 'injected') {
        const ids = [...new Set(event.ids)].filter((id) => told.delete(id));
        if (ids.length > 0) observe({ ...event, ids });
      } else if (event.type !== 'started') observe(event);
      else if (!isStarted) {
        isStarted = true;
        observe({ ...event, worker });
      }
    },
    countHandIn: async (act: () => Promise<void>): Promise<void> => {
      handIns += 1;
      if (handIns > MAX_HAND_INS) throw new Error('nothing more is taken in this round');
      await act();
    },
  };
}

/** Brings changes of a round here, each behind those before it: behind one that did not come nothing comes, for it would be put on other files than it was made from. */
function createBringer(parts: RoundsAwayParts, round: PanelRound, signal: AbortSignal): (changes: Json) => Promise<void> {
  let missed: unknown = null;
  return async (changes) => {
    if (missed !== null) throw missed;
    try {
      await bring(parts, round, changes, signal);
      signal.throwIfAborted();
    } catch (error) {
      missed ??= error;
      throw error;
    }
  };
}

function handOver(hand: PanelHand | undefined, handIn: SentHandIn): Promise<HandedIn> {
  if (hand === undefined) return Promise.resolve(NO_HAND);
  return handIn.kind === 'answer' ? hand.answer(handIn.content, handIn.topic) : hand.vote(handIn.target, handIn.reason);
}

const NO_HAND: HandedIn = { isAccepted: false, text: 'Nothing can be handed in here.' };

/** What an agent has when its round begins. */
interface PlacedWork extends Pick<PanelTree, 'read'> {
  readonly own: Manifest;
  /** Whether a file stays here. */
  readonly isLeft: (path: string) => boolean;
}

/** Packs what a worker needs for a round, and what its agent is shown of others later. */
function createPacker({ parts, treeOf }: RoundTools, round: PanelRound) {
  const { fleet, skipped } = parts;
  const { request, order } = round;
  let placed: Promise<PlacedWork> | undefined;
  const known = new Set<string>();
  const packWorks = async (works: readonly ShownWork[]): Promise<readonly SentWorkOf[]> => {
    const { own, isLeft, read } = await (placed ?? Promise.reject(new Error('it is not on its way')));
    const news = works.filter(({ snapshot }) => !known.has(snapshot));
    const sent = await Promise.all(
      news.map(async ({ name, snapshot, view }) => {
        const theirs = withoutLeft(await read(snapshot, skipped), isLeft);
        const changes = await packFiles(fleet.blobs, snapshot, listApart(own, theirs), own);
        return { name, view, changes: await sendChanges(fleet.blobs, changes) };
      }),
    );
    for (const { snapshot } of news) known.add(snapshot);
    return sent;
  };
  const readOwn = async (tree: PanelTree): Promise<PlacedWork> => {
    const base = await readBase(toBasePath(request.cwd));
    // What git ignores, and what is too large, does not travel.
    const isLeft = (path: string): boolean => base.files.has(path) && !tree.manifest.has(path);
    return { own: withoutLeft(await tree.read(request.cwd, skipped), isLeft), isLeft, read: tree.read };
  };
  return {
    pack: async (): ReturnType<RoundOffer['pack']> => {
      const tree = await treeOf(toTurnName(order));
      placed = readOwn(tree);
      const { own } = await placed;
      const changes = await packFiles(fleet.blobs, request.cwd, listApart(tree.manifest, own), tree.manifest);
      // The same changes on another tree make another one.
      const from = tree.sent.steps.at(-1)?.to ?? tree.sent.work.tree;
      const to = createHash('sha1')
        .update(JSON.stringify([from, changes]))
        .digest('hex');
      const step = { to, body: await sendChanges(fleet.blobs, changes) };
      const steps = changes.length === 0 ? tree.sent.steps : [...tree.sent.steps, step];
      const works = await packWorks(round.shown());
      const task = { ...toTask(round), works, conversations: await packConversations(parts, round) } satisfies PanelRoundTask;
      return { task, place: { ...(await parts.describe()), ...tree.sent, steps } as unknown as Json };
    },
    /** Without the work behind it, where that cannot be sent, an answer is still news. */
    packNews: (): Promise<Json> =>
      packWorks(round.shown())
        .then((works) => toBody(fleet.blobs, works as unknown as Json))
        .catch(() => null),
  };
}

function withoutLeft(manifest: Manifest, isLeft: (path: string) => boolean): Manifest {
  return new Map([...manifest].filter(([path]) => !isLeft(path)));
}

function toTask({ order, agent, id, token, request }: PanelRound): Omit<PanelRoundTask, 'works' | 'conversations'> {
  const { panel: _, ...effect } = order;
  const { hand, logs, timeoutMs, idleTimeoutMs, prompt, cwd, turn, resumable = null } = request;
  return {
    kind: 'round',
    // Its prompt says what it is about.
    effect: { ...effect, events: [], feedback: [] },
    ...{ agent, id, token, cwd, prompt, timeoutMs, idleTimeoutMs, round: turn.iteration, home: toTurnName(order), capBytes: logs.capBytes },
    resumable,
    ...{ task: hand?.task ?? 'answer', candidates: hand?.candidates ?? [], topics: hand?.topics ?? [] },
  };
}

const CONVERSATION = 'session.jsonl';

/** What the native agent said and did in the rounds before; of one that is too long nothing goes along. */
async function packConversations({ fleet }: RoundsAwayParts, { request }: PanelRound): Promise<readonly SentConversation[]> {
  const turns = dirname(dirname(request.promptFile));
  const sent: SentConversation[] = [];
  let left = MAX_OUTPUT_BYTES;
  for (let round = request.turn.iteration - 1; round > 0; round -= 1) {
    const path = join(turns, `${round}.1`, CONVERSATION);
    if (!existsSync(path)) continue;
    left -= statSync(path).size;
    if (left < 0) break;
    sent.push({ round, ...(await toContent(fleet.blobs, readFileSync(path))) });
  }
  return sent;
}

/** Puts what an agent changed into its folder here. */
async function bring(
  { fleet, skipped, confirm }: RoundsAwayParts,
  { request }: PanelRound,
  body: Json,
  signal: AbortSignal,
): Promise<void> {
  if (body === null) return;
  const blobs = limitFetching(fleet.blobs, steadyMs, signal);
  const changes = await toFileChanges(blobs, await readChanges(blobs, body));
  // A process that was frozen meanwhile writes nothing any more.
  await confirm();
  signal.throwIfAborted();
  writeChanges(request.cwd, new Map([...changes].filter(([path]) => isTaken(path, skipped))));
}

interface Ending {
  readonly end: OfferedRoundEnd;
  readonly signal: AbortSignal;
  readonly bringIn: (changes: Json) => Promise<void>;
  /** What its worker last said that it had used. */
  readonly usage: TurnResult['usage'];
}

async function toResult(
  parts: RoundsAwayParts,
  round: PanelRound,
  { end, signal, bringIn, usage }: Ending,
  observe: Parameters<PanelRounds['start']>[1],
): Promise<TurnResult> {
  if (end.kind === 'killed') return { ...NO_WORK, usage, status: 'stopped', failure: null, logError: null };
  if (end.kind === 'lost') return { ...toFailed(end.why), usage };
  const { said, found, result }: RoundEnd = end.end;
  try {
    await bringIn(end.end.changes);
    const names = ['stdout.log', 'stderr.log', CONVERSATION];
    const files = end.end.files.filter(({ name }) => names.includes(name));
    const left = await putFiles(limitFetching(parts.fleet.blobs, steadyMs, signal), dirname(round.request.promptFile), files);
    if (left.length > 0) observe({ type: 'warning', message: toLeftOutText(`the round of agent ${round.id}`, left) });
  } catch (error) {
    if (signal.aborted) return { ...result, status: 'stopped', failure: null };
    return { ...toFailed(`what it made on its worker could not be brought here: ${toErrorMessage(error)}`), usage: result.usage };
  }
  if (found !== null) observe({ type: 'warning', message: found });
  if (said !== '') observe({ type: 'text', text: said });
  return result;
}

/** For a reason that passes: the rules of the panel say whether it is asked again. */
function toFailed(message: string): TurnResult {
  return { ...NO_WORK, status: 'failed', failure: { class: 'transient', message }, logError: null };
}

/**
 * Whether the agents of a panel are offered one by one. Not where only workers of older versions are there for one of them, and one of these can take the whole panel.
 */
export function canSpread(there: readonly WorkerFacts[], settings: LabelSettings, order: IterationStart): boolean {
  const has = (labels: readonly string[], protocol: number): boolean =>
    there.some((worker) => worker.protocol >= protocol && labels.every((label) => worker.labels.includes(label)));
  const agents = settings.backends[order.hat] ?? [];
  const isServed = agents.every((_, agent) => has(toRoundLabels(settings, { order, agent }), ROUND_PROTOCOL));
  return isServed || !has(toOrderLabels(settings, order), TURN_PROTOCOL);
}

/** What a worker must have for the round of an agent: its program, and what the hat asks for. */
export function toRoundLabels(
  settings: LabelSettings,
  { order: { hat }, agent }: { readonly order: IterationStart; readonly agent: number },
): readonly string[] {
  return toTurnLabels(settings, { hat, spec: findSpec(settings, { hat, backend: agent }), isPanel: false });
}

/** What a worker must have for a turn: the program of each agent that may take it, and what the hat asks for. */
export function toOrderLabels(settings: LabelSettings, order: IterationStart): readonly string[] {
  return toTurnLabels(settings, { hat: order.hat, spec: findSpec(settings, order), isPanel: order.panel !== undefined });
}
