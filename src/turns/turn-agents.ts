import { dirname, join, resolve } from 'node:path';
import { createBackend } from '../backends/clis.ts';
import { type BackendSpec, toBackendLabel } from '../core/backends/backend-spec.ts';
import { UNKNOWN_USAGE, type Usage } from '../core/backends/usage.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { toTurnName } from '../core/run/turn.ts';
import { toContractPath } from '../emit/contract-file.ts';
import type { Surroundings, TurnAgents } from '../loop/shell/loop-ports.ts';
import type { AgentSurroundings, PanelAgents } from '../panel/run/panel-settings.ts';
import { COPIES, toCopyFolder } from '../panel/share/work-copies.ts';
import { countTools } from '../plugins/plugin-files.ts';
import type { Backend } from '../ports/backend.ts';
import type { Isolation } from '../ports/program.ts';
import { toMarker } from '../runs/markers.ts';
import { listKeyNames } from '../safety/known-secrets.ts';
import { withOwnLogins } from '../safety/safe-runs.ts';
import { toAgentEnvironment } from './agent-environment.ts';
import type { NativeHome } from './create-native-backend.ts';
import { createPanelAgent, createPanelBackendFor, type PanelHome } from './create-panel-backend.ts';
import { findSpec, type TurnOwner, toAgentPromptFacts } from './hat-facts.ts';
import { createLazyBackend } from './lazy-backend.ts';
import { openPermissionStore } from './open-permission-store.ts';
import { toPrice } from './price.ts';
import { addTrusted, type TurnScopes } from './scope-contract.ts';

/** What is known of the run whose turns are taken. */
export interface TurnAgentsSettings
  extends Pick<PanelHome, 'runId' | 'runFolder' | 'workspace' | 'settings' | 'env' | 'agentCommand' | 'isolation' | 'gatesIn' | 'rounds'> {
  readonly binDir: string;
  /** Binds the agents of hats with a profile; absent: nothing does. */
  readonly scopes?: TurnScopes;
  /** Undoes what was done to Ralph's own files and to git's programs since it was asked last, and names it. Absent: nobody looks. */
  readonly undo?: () => Promise<readonly string[]>;
}

/** Gives each turn of a run its agent, made once, and what is around it. */
export function createTurnAgents(made: TurnAgentsSettings): TurnAgents & PanelAgents {
  const known = new Map<string | BackendSpec, Backend>();
  // Now, before any agent had a chance to write there.
  const permissionStore = openPermissionStore(made.runFolder);
  const find = (order: TurnOwner): BackendSpec => findSpec(made.settings, order);
  const toHome = (order: IterationStart) => ({ ...made, workspace: toFolder(made, order), permissionStore });
  return {
    panelAgentOf: (order, place) => {
      const agent = createPanelAgent(toPanelHome(made, toHome(order), order), order, place);
      return agent === null ? null : { ...agent, surroundings: (round) => watchPanelAgent(made.undo, () => agent.surroundings(round)) };
    },
    backendFor: (order) => {
      const home = toHome(order);
      const panel = createPanelBackendFor(toPanelHome(made, home, order), order);
      if (panel !== null) return panel;
      const spec = find(order);
      const isNative = spec.type === 'native';
      if (isNative && order.copy !== undefined) return createNative(home, order.hat, spec);
      // The native agent wears one hat: what it may do and publish is the hat's.
      const key = isNative ? `${order.hat}/${order.backend}` : spec;
      const backend =
        known.get(key) ??
        (isNative ? createNative(home, order.hat, spec) : createBackend(spec, { watchesLimits: made.settings.watchesLimits ?? true }));
      known.set(key, backend);
      return backend;
    },
    surroundings: (order) => {
      const spec = find(order);
      const workspace = toFolder(made, order);
      const isolation = toIsolation(made, order);
      const plain = {
        cwd: spec.cwd === undefined ? workspace : resolve(workspace, spec.cwd),
        env: toEnvironment(made, order, spec),
        marker: toMarker(made.runId, order),
        ...(isolation === undefined ? {} : { isolation }),
      };
      return watchTrusted(made.undo, async () => {
        if (made.scopes === undefined || isBoundByTools(order, spec)) return plain;
        return order.panel === undefined ? made.scopes.open(order, spec, plain) : made.scopes.panel.open(order, plain);
      });
    },
    toolsOf: (order) => countTools(made.settings, order.hat, find(order).type),
    promptFactsOf: (order) => toAgentPromptFacts(made.settings, order),
    lookBack: async (activation) => (await made.scopes?.lookBack(activation)) ?? null,
    spentBy: async (activation) => {
      if (find(activation).type !== 'native') return UNKNOWN_USAGE;
      return (await import('../agent/session/find-session.ts')).findSpent(join(made.runFolder, 'turns'), toTurnName(activation));
    },
    toldBy: async (activation) => {
      if (find(activation).type !== 'native') return { ids: [], call: 0 };
      return (await import('../agent/session/find-session.ts')).findTold(join(made.runFolder, 'turns'), toTurnName(activation));
    },
    priceOf: (order, usage: Usage, model) => toPrice(made.settings.prices, model ?? find(order).model ?? null, usage),
  };
}

function toPanelHome(made: TurnAgentsSettings, home: NativeHome & TurnAgentsSettings, order: IterationStart): PanelHome {
  return {
    ...home,
    createNative: (spec, scriptName) => createNative(home, order.hat, spec, scriptName),
    environmentOf: (turn, agent) => toEnvironment(made, turn, agent),
  };
}

/** Makes the native agent for one hat. Its code is loaded with its first turn. */
function createNative(home: NativeHome, hat: string, spec: BackendSpec, scriptName?: string): Backend {
  return createLazyBackend(toBackendLabel(spec), async () => {
    const { createNativeBackendFor } = await import('./create-native-backend.ts');
    return createNativeBackendFor(home, hat, spec, scriptName);
  });
}

/** Where a turn works: the folder of the run, or its copy of it. */
function toFolder({ workspace, runFolder }: TurnAgentsSettings, { copy }: Pick<IterationStart, 'copy'>): string {
  return copy === undefined ? workspace : toCopyFolder(join(runFolder, COPIES), copy);
}

/** A copy lies in the folder for state, in which nothing else can be written. */
function toIsolation({ isolation, runFolder }: TurnAgentsSettings, { copy }: IterationStart): Isolation | undefined {
  if (isolation === undefined || copy === undefined) return isolation;
  return { ...isolation, writable: [...isolation.writable, toCopyFolder(join(runFolder, COPIES), copy)] };
}

/** In a copy, a profile binds by the tools of the native agent alone. */
function isBoundByTools({ copy }: IterationStart, { type }: BackendSpec): boolean {
  return copy !== undefined && (type === 'native' || type === 'scripted');
}

/** What was done before a turn is not its doing; what is found behind it is. */
async function watchTrusted(undo: TurnAgentsSettings['undo'], open: () => Promise<Surroundings>): Promise<Surroundings> {
  if (undo === undefined) return open();
  const between = await undo();
  const opened = await open();
  return {
    ...opened,
    close: async () => {
      const found = (await opened.close?.()) ?? null;
      return addTrusted(found, await undo(), between);
    },
  };
}

/** The same around an agent of a panel, which says in words for people what it did. */
async function watchPanelAgent(undo: TurnAgentsSettings['undo'], open: () => Promise<AgentSurroundings>): Promise<AgentSurroundings> {
  if (undo === undefined) return open();
  await undo();
  const opened = await open();
  return {
    ...opened,
    close: async () => {
      const found = (await opened.close?.()) ?? null;
      const undone = await undo();
      if (undone.length === 0) return found;
      return `${found === null ? '' : `${found} `}Undone, for they are Ralph's own: ${undone.slice(0, MAX_UNDONE).join(', ')}.`;
    },
  };
}

const MAX_UNDONE = 5;

function toEnvironment(made: TurnAgentsSettings, order: IterationStart, spec: BackendSpec): Readonly<Record<string, string>> {
  const env = toAgentEnvironment(
    { ...(made.settings.isSafe === true ? withOwnLogins(made.env, spec, listKeyNames(made.settings)) : made.env), ...spec.env },
    {
      iteration: order.iteration,
      attempt: order.attempt,
      hat: order.hat,
      runId: made.runId,
      eventsFile: join(toFolder(made, order), made.settings.prompts.eventsFile),
      contractFile: toContractPath(made.runFolder),
      command: made.agentCommand,
      binDir: made.binDir,
    },
  );
  // No repository above the copy is its own.
  return order.copy === undefined ? env : { ...env, GIT_CEILING_DIRECTORIES: dirname(toFolder(made, order)) };
}
