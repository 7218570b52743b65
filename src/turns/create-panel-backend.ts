import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { createBackend, findCli } from '../backends/index.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { TOPIC_PANEL_CONFLICT } from '../core/events/reserved.ts';
import type { IterationStart } from '../core/run/effects.ts';
import type { PanelSpec } from '../core/run/panel-spec.ts';
import { toPanelTopics } from '../core/run/panel-topics.ts';
import type { HatSpec } from '../core/run/run-spec.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { Environment } from '../core/values/environment.ts';
import { RalphError, toErrorMessage } from '../core/values/errors.ts';
import type { JsonObject } from '../core/values/json.ts';
import { createPayloadCheck, emitInto, findTurn, HAND_VARIABLE } from '../emit/index.ts';
import type { Surroundings } from '../loop/shell/index.ts';
import type { AgentSource, PanelPayload, PanelSettings, RoundPlace, RoundSurroundings } from '../panel/run/index.ts';
import type { Backend, TurnRequest } from '../ports/backend.ts';
import type { GateRunner } from '../ports/gate-runner.ts';
import type { Isolation } from '../ports/program.ts';
import { createRedaction } from '../process/index.ts';
import { toMarker } from '../runs/index.ts';
import { findKnownSecrets } from '../safety/index.ts';
import { createLazyBackend, createNativeBackendFor, type NativeHome, toPrice } from './create-native-backend.ts';
import { findHandWay, findSpec, hasHandInTools } from './hat-facts.ts';
import { createJudge } from './judge-answers.ts';
import { openHand } from './open-hand.ts';
import type { TurnScopes } from './turn-scopes.ts';

/** What the turn of a panel is made from. */
export interface PanelHome extends NativeHome {
  readonly runId: string;
  readonly runFolder: string;
  /** The environment that Ralph was started with. */
  readonly env: Environment;
  /** Absolute path of an executable `ralph` for agents. */
  readonly agentCommand: string;
  /** Attaches the tools that hand in; absent: nobody does. */
  readonly scopes?: TurnScopes;
  /** The namespaces of every turn's programs; absent: none. */
  readonly isolation?: Isolation;
  /** Runs gates in another folder than that of the run; `marker`: by which their processes are found. Absent: no answer of a panel is judged. */
  readonly gatesIn?: ((cwd: string, marker: string) => GateRunner) | undefined;
  /** The environment of an agent of the hat. */
  readonly environmentOf: (order: IterationStart, spec: BackendSpec) => Readonly<Record<string, string>>;
}

/** The panel of a hat, for one turn; `null` for a hat that one agent wears. Throws RalphError `panel-unbound`. */
export function createPanelBackendFor(made: PanelHome, order: IterationStart): Backend | null {
  const hat = made.settings.spec.hats?.find(({ id }) => id === order.hat);
  if (hat?.panel === undefined || order.panel === undefined) return null;
  const { panel } = hat;
  const specs = panel.agents.map((_, backend) => findSpec(made.settings, { hat: hat.id, backend }));
  demandBound(made, hat.id);
  const label = `panel of ${specs.map(toBackendLabel).join(', ')}`;
  return createLazyBackend(label, async () => {
    const room = await import('../panel/run/index.ts');
    return room.createPanelBackend(toSettings(made, { hat, panel, specs, order, label }));
  });
}

/** The sandbox of the operating system is not there yet for the agents of a panel: a hat that is to be held by it may not have one. */
function demandBound({ settings }: PanelHome, hat: string): void {
  if (settings.isSafe !== true && (settings.sandbox.hats[hat] ?? settings.sandbox.mode) !== 'required') return;
  throw new RalphError({
    code: 'panel-unbound',
    what: `The panel of ${hat} cannot be held by a sandbox.`,
    why: 'Agents of a panel work outside of the sandbox of the operating system.',
    fix: 'Leave out `safe` and `sandbox: required` for this hat, or its panel.',
  });
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
    spec: panel,
    agentAt: (place) => createSource(made, { hat, panel, specs, order, label }, place),
    folder: join(realpathSync(made.runFolder), 'panels'),
    workspace: realpathSync(made.workspace),
    links: settings.worktreeLinks,
    skipped: [settings.stateDir],
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

function createSource(made: PanelHome, { hat, panel, specs, order }: PanelParts, place: number): AgentSource {
  const spec = specs[place] ?? findSpec(made.settings, order);
  const isNative = spec.type === 'native';
  const id = panel.agents[place]?.id ?? '';
  return {
    isNative,
    backend: isNative
      ? createNativeBackendFor(made, hat.id, spec, { scriptName: id })
      : createBackend(spec, { watchesLimits: made.settings.watchesLimits ?? true }),
    canResume: findCli(spec.type)?.canResume?.(spec.args) === true,
    way: findHandWay(made.settings, hat.id, spec),
    surroundings: async (round) => {
      const { cwd, token } = round;
      // Nothing that it publishes by itself is the hat's.
      const { RALPH_EVENTS_FILE: _, RALPH_CONTRACT: __, ...env } = made.environmentOf(order, spec);
      const plain = {
        cwd,
        env,
        marker: `${toMarker(made.runId, order)}/${token}`,
        // It lies in the folder for state, in which nothing else can be written.
        ...(made.isolation === undefined ? {} : { isolation: { ...made.isolation, writable: [...made.isolation.writable, cwd] } }),
      };
      return isNative ? plain : openProgramRound(made, { order, spec, plain, round });
    },
    priceOf: (usage, model) => toPrice(made.settings.prices, model ?? spec.model ?? null, usage),
  };
}

function toJson({ answer, author, votes, conflicts, work }: PanelPayload): JsonObject {
  const conflict = conflicts === undefined || work === undefined ? {} : { conflicts: [...conflicts], work };
  return { answer, author, votes: [...votes], ...conflict };
}

interface ProgramRound {
  readonly order: IterationStart;
  readonly spec: BackendSpec;
  readonly plain: Surroundings;
  readonly round: RoundPlace;
}

/** What the round of an agent that is a program has beside its folder: where it hands in, and the tools for it. */
async function openProgramRound(made: PanelHome, { order, spec, plain, round }: ProgramRound): Promise<RoundSurroundings> {
  const { file, close } = openHand(round);
  const opened = { ...plain, env: { ...plain.env, [HAND_VARIABLE]: file } };
  if (made.scopes === undefined || !hasHandInTools(made.settings, spec.type)) return { ...opened, close };
  const { attachHandIn } = await import('./emit-attach.ts');
  const { close: closeScope, ...around } = await made.scopes.openRound(order, spec, opened, {
    name: `${toTurnName(order)}-${round.token}-${round.round}`,
    attach: (folder) => attachHandIn({ cli: spec.type, command: made.agentCommand, roundFile: file, offer: round.hand }, folder),
  });
  return {
    ...around,
    close: async () => {
      await close();
      await closeScope?.();
    },
  };
}

/** As an agent of the hat would; what is wrong, or `null`. */
function publish({ workspace }: PanelHome, { env }: TurnRequest, topic: string, payload: JsonObject): string | null {
  const place = findTurn(env);
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
