import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createBackend, findCli } from '../backends/clis.ts';
import type { Settings } from '../config/settings.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { TOPIC_PANEL_CONFLICT } from '../core/events/reserved.ts';
import { PANELS_FOLDER } from '../core/panel/panel-home.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { PanelAgentSpec, PanelSpec } from '../core/run/panel-spec.ts';
import { toPanelTopics } from '../core/run/panel-topics.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import type { ScopeViolations } from '../core/tools/scope-violations.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import type { Environment } from '../core/values/environment.ts';
import { toErrorMessage } from '../core/values/errors.ts';
import type { JsonObject } from '../core/values/json.ts';
import { findEventPlace } from '../emit/contract-file.ts';
import { createPayloadCheck } from '../emit/create-payload-check.ts';
import { emitInto } from '../emit/emit-event.ts';
import { HAND_VARIABLE } from '../emit/hand-file.ts';
import type { Surroundings } from '../loop/shell/loop-ports.ts';
import type { AgentSource, AgentSurroundings, PanelPayload, PanelSettings, RoundPlace } from '../panel/run/panel-settings.ts';
import type { Backend, TurnRequest } from '../ports/backend.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { PanelRounds } from '../ports/panel-rounds.ts';
import type { Isolation } from '../ports/program.ts';
import { createRedaction } from '../process/redact.ts';
import { toAgentCapabilities } from '../runs/hat-capabilities.ts';
import { toMarker } from '../runs/markers.ts';
import { findKnownSecrets } from '../safety/known-secrets.ts';
import { findHandWay, findSpec, hasHandInTools, toOwnLimits } from './hat-facts.ts';
import { createJudge } from './judge-answers.ts';
import { createLazyBackend } from './lazy-backend.ts';
import { openHand } from './open-hand.ts';
import { toPrice } from './price.ts';
import type { PanelAttach, PanelScopes } from './scope-contract.ts';

export interface PanelHome {
  /** Absolute. */
  readonly workspace: string;
  readonly settings: Settings;
  readonly runId: string;
  readonly runFolder: string;
  /** The environment that Ralph was started with. */
  readonly env: Environment;
  /** Absolute path of an executable `ralph` for agents. */
  readonly agentCommand: string;
  /** The namespaces of every turn's programs; absent: none. */
  readonly isolation?: Isolation;
  /** Runs gates in another folder than that of the run; `marker`: by which their processes are found. Absent: no answer of a panel is judged. */
  readonly gatesIn?: ((cwd: string, marker: string) => GateRunner) | undefined;
  /** Binds the agents; absent: nothing does. */
  readonly scopes?: { readonly panel: PanelScopes };
  /** Makes the native agent of the hat for one of its agents. */
  readonly createNative: (spec: BackendSpec, scriptName: string) => Backend;
  /** The environment of an agent of the hat. */
  readonly environmentOf: (order: IterationStart, spec: BackendSpec) => Readonly<Record<string, string>>;
  /** Workers that take the rounds of its agents; absent: they work here. */
  readonly rounds?: PanelRounds;
}

/** The panel of a hat, for one turn; `null` for a hat that one agent wears. */
export function createPanelBackendFor(made: PanelHome, order: IterationStart): Backend | null {
  const parts = order.panel === undefined ? null : findParts(made, order);
  if (parts === null) return null;
  return createLazyBackend(parts.label, async () => {
    const { createPanelBackend } = await import('../panel/run/panel-backend.ts');
    return createPanelBackend(toSettings(made, parts));
  });
}

/** One agent of a panel, for a round of it that begins elsewhere and is worked on here; `null` where there is none at that place. */
export function createPanelAgent(made: PanelHome, order: IterationStart, place: number): AgentSource | null {
  const parts = findParts(made, order);
  return parts?.panel.agents[place] === undefined ? null : createSource(made, parts, place);
}

function findParts({ settings }: PanelHome, order: IterationStart): PanelParts | null {
  const hat = settings.spec.hats?.find(({ id }) => id === order.hat);
  if (hat?.panel === undefined) return null;
  const { panel } = hat;
  const specs = panel.agents.map((_, backend) => findSpec(settings, { hat: hat.id, backend }));
  return { hat, panel, specs, order, label: `panel of ${specs.map(toBackendLabel).join(', ')}` };
}

interface PanelParts {
  readonly hat: HatSpec;
  readonly panel: PanelSpec;
  readonly specs: readonly BackendSpec[];
  readonly order: IterationStart;
  readonly label: string;
}

function toSettings(made: PanelHome, { hat, panel, specs, order, label }: PanelParts): PanelSettings {
  const { settings } = made;
  const redaction = createRedaction(made.env, findKnownSecrets(settings, made.env));
  const checkPayload = createPayloadCheck(settings.spec.events);
  return {
    label,
    spec: { ...panel, agents: panel.agents.map((agent, place) => withLimits(settings, hat.id, agent, specs[place])) },
    agentAt: (place) => {
      const parts = { hat, panel, specs, order, label };
      return made.rounds === undefined
        ? createSource(made, parts, place)
        : createAwaySource({ ...made, rounds: made.rounds }, parts, place);
    },
    ...(made.rounds !== undefined && { isAway: true as const }),
    folder: join(realpathSync(made.runFolder), PANELS_FOLDER),
    workspace: realpathSync(made.workspace),
    links: settings.worktreeLinks,
    skipped: [settings.stateDir],
    mayWrite: (place) => mayChangeTree(toAgentCapabilities(settings, hat.id, specs[place] ?? {})),
    ...toPanelTopics(hat),
    conflictTopic: hat.publishes.some(({ topic }) => topic === TOPIC_PANEL_CONFLICT) ? TOPIC_PANEL_CONFLICT : null,
    ...(panel.strategy === 'best_of' && made.gatesIn !== undefined && { judge: createJudge({ ...made, gatesIn: made.gatesIn }, order) }),
    findProblem: (topic, payload) => {
      const verdict = checkPayload?.(topic, toJson(payload));
      if (verdict === undefined || 'payload' in verdict) return null;
      return `The payload of ${topic} is not what its schema asks for: ${verdict.problem}.`;
    },
    publish: (request, topic, payload) => publish(made, request, topic, toJson(payload)),
    redact: (text) => redaction?.text(text) ?? text,
    shuffle,
  };
}

/** What an agent may not that others may is said to it alone. */
function withLimits(settings: Settings, hat: string, agent: PanelAgentSpec, spec: BackendSpec | undefined): PanelAgentSpec {
  const limits = spec === undefined ? '' : toOwnLimits(settings, hat, spec);
  return limits === '' ? agent : { ...agent, instructions: [agent.instructions, limits].filter((text) => text !== '').join('\n\n') };
}

function createSource(made: PanelHome, { hat, panel, specs, order }: PanelParts, place: number): AgentSource {
  const spec = specs[place] ?? findSpec(made.settings, order);
  const isNative = spec.type === 'native';
  const id = panel.agents[place]?.id ?? '';
  return {
    isNative,
    backend: isNative ? made.createNative(spec, id) : createBackend(spec, { watchesLimits: made.settings.watchesLimits ?? true }),
    canResume: findCli(spec.type)?.canResume?.(spec.args) === true,
    way: findHandWay(made.settings, hat.id, spec),
    surroundings: async (round) => {
      const { cwd, token } = round;
      // Nothing that it publishes by itself is the hat's.
      const { RALPH_EVENTS_FILE: _, RALPH_CONTRACT: __, ...given } = made.environmentOf(order, spec);
      // No repository above its folder is its own: what it did there with git would be done to the person's.
      const env = { ...given, GIT_CEILING_DIRECTORIES: dirname(cwd) };
      const plain = {
        cwd,
        env,
        marker: `${toMarker(made.runId, order)}/${token}`,
        // It lies in the folder for state, in which nothing else can be written.
        ...(made.isolation === undefined ? {} : { isolation: { ...made.isolation, writable: [...made.isolation.writable, cwd] } }),
      };
      return openRound(made, { id, order, spec, plain, round });
    },
    priceOf: (usage, model) => toPrice(made.settings.prices, model ?? spec.model ?? null, usage),
  };
}

/** An agent whose rounds workers take: what is around it there is made there. */
function createAwaySource(made: PanelHome & Required<Pick<PanelHome, 'rounds'>>, parts: PanelParts, place: number): AgentSource {
  const { hat, panel, specs, order } = parts;
  const spec = specs[place] ?? findSpec(made.settings, order);
  const id = panel.agents[place]?.id ?? '';
  let opened: Pick<RoundPlace, 'token' | 'shown'> = { token: '', shown: () => [] };
  return {
    isNative: spec.type === 'native',
    isAway: true,
    canResume: findCli(spec.type)?.canResume?.(spec.args) === true,
    way: findHandWay(made.settings, hat.id, spec),
    backend: {
      label: toBackendLabel(spec),
      start: (request, observe) => made.rounds.start({ order, agent: place, id, ...opened, request }, observe),
    },
    surroundings: async (round) => {
      opened = { token: round.token, shown: round.shown };
      return { cwd: round.cwd, env: {}, marker: '' };
    },
    priceOf: (usage, model) => toPrice(made.settings.prices, model ?? spec.model ?? null, usage),
  };
}

const NAMED = 5;

/** What an agent changed that may not write, in words for people; `null` for nothing. */
function toChangedText(id: string, found: ScopeViolations | null): string | null {
  if (found === null) return null;
  if (found.total === 0) return `${id} may not write. ${found.notes.join(' ')}`;
  const more = found.total > NAMED ? `, and ${found.total - NAMED} more` : '';
  const paths = found.changes.slice(0, NAMED).map(({ path }) => path);
  return `${id} may not write, and changed ${paths.join(', ')}${more} in its own folder. It was not taken over.`;
}

function toJson({ answer, author, votes, conflicts, work }: PanelPayload): JsonObject {
  const conflict = conflicts === undefined || work === undefined ? {} : { conflicts: [...conflicts], work };
  return { answer, author, votes: [...votes], ...conflict };
}

interface OpenedRound {
  readonly id: string;
  readonly order: IterationStart;
  readonly spec: BackendSpec;
  readonly plain: Omit<Surroundings, 'close'>;
  readonly round: RoundPlace;
}

/** What the round of an agent has beside its folder: what holds it, and where it hands in if it is a program, with the tools for it. */
async function openRound(made: PanelHome, { id, order, spec, plain, round }: OpenedRound): Promise<AgentSurroundings> {
  const hand = spec.type === 'native' ? null : openHand(round);
  const opened = hand === null ? plain : { ...plain, env: { ...plain.env, [HAND_VARIABLE]: hand.file } };
  const settle = hand === null ? {} : { settle: hand.close };
  const { scopes } = made;
  if (scopes === undefined) return { ...opened, ...settle };
  const opening = async () =>
    scopes.panel.openAgent({
      ...{ order, spec, plain: opened, name: `${round.token}.${round.name}`, promptFile: round.promptFile },
      ...(hand === null ? {} : { more: [hand.file, hand.verdictsFile] }),
      ...(hand === null || !hasHandInTools(made.settings, spec) ? {} : { attach: await createAttach(made, spec, hand.file, round) }),
    });
  const { close, ...held } = await opening().catch(async (error: unknown) => {
    await hand?.close();
    throw error;
  });
  return { ...held, ...settle, close: async () => toChangedText(id, (await close?.()) ?? null) };
}

async function createAttach(made: PanelHome, { type }: BackendSpec, roundFile: string, { hand }: RoundPlace): Promise<PanelAttach> {
  const { attachHandIn } = await import('./emit-attach.ts');
  return (folder, isAlone) => attachHandIn({ cli: type, command: made.agentCommand, roundFile, offer: hand, isAlone }, folder);
}

/** As an agent of the hat would; what is wrong, or `null`. */
function publish({ workspace }: PanelHome, { env }: TurnRequest, topic: string, payload: JsonObject): string | null {
  const place = findEventPlace(env);
  if (place === null) return 'this is no turn of a run';
  try {
    emitInto({ topic, payload: JSON.stringify(payload), json: true }, { ...place, root: workspace });
    return null;
  } catch (error) {
    return toErrorMessage(error);
  }
}

/** The numbers from 1 on, in a random order. */
function shuffle(size: number): readonly number[] {
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  for (let last = size - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] ?? 0, numbers[last] ?? 0];
  }
  return numbers;
}
