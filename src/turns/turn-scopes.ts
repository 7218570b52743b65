import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendSpec } from '../core/backends/backend-spec.ts';
import type { IterationStart } from '../core/run/effects.ts';
import { toTurnName } from '../core/run/turn.ts';
import type { ScopeViolations } from '../core/tools/scope-violations.ts';
import { type Capabilities, mayChangeTree } from '../core/tools/tool-profiles.ts';
import { toContractPath } from '../emit/contract-file.ts';
import type { Surroundings } from '../loop/shell/loop-ports.ts';
import { openProjectFolder } from '../process/open-project-folder.ts';
import { findQualityCommands } from '../project/find-checks.ts';
import { findAgentPolicy, mayHatChangeTree, toAgentCapabilities } from '../runs/hat-capabilities.ts';
import type { TurnSandbox, TurnSandboxOrder } from '../sandbox/turn-sandbox.ts';
import type { TreeLook } from '../workspace/watch/create-tree-watch.ts';
import type { attachEmit } from './emit-attach.ts';
import { hasEmitTool, listMoreTools } from './hat-facts.ts';
import { createWatch, openScopeTools } from './open-scope-tools.ts';
import { createPanelScopes } from './panel-scopes.ts';
import type { TurnScopes } from './scope-contract.ts';
import {
  type HeldOrder,
  type OwnScratch,
  openOwnScratch,
  openPrivate,
  type ScopeTools,
  type TurnScopeSettings,
  toSandboxOrder,
} from './scope-tools.ts';

/** The longest difference that is kept in a turn's folder. */
const MAX_DIFF_CHARS = 1_000_000;

/** Creates what holds the turns of a run. The sandbox is loaded when a hat with a profile first gets its turn. */
export function createTurnScopes(made: TurnScopeSettings): TurnScopes {
  let tools: Promise<ScopeTools> | undefined;
  const open = (): Promise<ScopeTools> => {
    tools ??= openScopeTools(made);
    return tools;
  };
  return {
    open: async (order, spec, plain) => {
      const isOpen = findAgentPolicy(made.settings, order.hat, spec) === null && made.settings.sandbox.hats[order.hat] !== 'required';
      if (isOpen) (await tools)?.watch.pass();
      if (isOpen && (spec.type === 'native' || !hasEmitTool(made.settings, order.hat, spec))) return plain;
      const opened = await open();
      const may = toAgentCapabilities(made.settings, order.hat, spec);
      const sandbox =
        spec.type === 'scripted'
          ? null
          : await opened.sandboxes.open({
              ...toSandboxOrder(made, await toHeldOrder(made, order, spec, plain, may)),
              isOpen,
            });
      const own = sandbox === null && !mayChangeTree(may) ? await openOwnScratch(made) : null;
      const look = mayChangeTree(may) ? null : await opened.watch.begin(sandbox?.scratch ?? own?.folders ?? [], toTurnName(order));
      if (look === null) opened.watch.pass();
      return {
        ...plain,
        ...(sandbox === null ? {} : { scope: sandbox.scope, ...openPrivate(made, toTurnName(order), plain) }),
        close: () => close(made, { order, sandbox, own, look }),
      };
    },
    panel: createPanelScopes(made, { open, opened: () => tools, keepDiff: (turn) => keepDiff(made, turn) }),
    lookBack: async (activation) => {
      if (mayHatChangeTree(made.settings, activation.hat)) return null;
      const found = await createWatch(made).recall(toTurnName(activation));
      // What never began wrote nothing.
      return found?.isUnseen === true && found.total === 0 && activation.pid === null ? null : found;
    },
  };
}

async function toHeldOrder(
  made: TurnScopeSettings,
  order: IterationStart,
  spec: BackendSpec,
  plain: Surroundings,
  may: Capabilities,
): Promise<HeldOrder> {
  const turn = toTurnName(order);
  const attach = await createAttach(made, order, { spec, plain }, may);
  return { hat: order.hat, spec, plain, may, turn, promptFile: join(made.turnsDir, turn, 'prompt.md'), attach };
}

/** What attaches the tool `emit_event` to an agent CLI. */
async function createAttach(
  made: TurnScopeSettings,
  { hat, copy }: IterationStart,
  { spec, plain }: Pick<HeldOrder, 'spec' | 'plain'>,
  may: Capabilities,
): Promise<TurnSandboxOrder['attach']> {
  const { settings } = made;
  if (spec.type === 'native' || !hasEmitTool(settings, hat, spec)) return () => null;
  const { listToolChecks } = await import('../sandbox/plan-scope.ts');
  const attach = await loadEmitAttach();
  const root = copy === undefined ? made.workspace : plain.cwd;
  const place = {
    hat,
    eventsFile: plain.env['RALPH_EVENTS_FILE'] ?? join(made.workspace, settings.prompts.eventsFile),
    contractFile: toContractPath(made.runFolder),
  };
  const checks = listToolChecks(spec.type, may, findQualityCommands(settings, openProjectFolder(made.workspace)));
  return (folder) =>
    attach(
      {
        ...{ cli: spec.type, command: made.agentCommand, place, isAlone: !mayChangeTree(may) },
        ...{ tools: listMoreTools(settings), checks, folder: root },
      },
      folder,
    );
}

interface ScopedTurn {
  readonly order: IterationStart;
  readonly sandbox: TurnSandbox | null;
  readonly own: OwnScratch | null;
  readonly look: TreeLook | null;
}

async function close(made: TurnScopeSettings, { order, sandbox, own, look }: ScopedTurn): Promise<ScopeViolations | null> {
  try {
    sandbox?.close();
    own?.close();
  } catch {
    // Files of the turn that cannot be removed now are swept when the run begins again.
  }
  return look === null ? null : look.end(() => keepDiff(made, toTurnName(order)));
}

/** Puts the difference of a turn into its folder. */
async function keepDiff({ tree, turnsDir }: TurnScopeSettings, turn: string): Promise<string | null> {
  await tree.snapshot(turn, 'after');
  const text = await tree.diff(turn);
  if (text === null || text === '') return null;
  writeFileSync(join(turnsDir, turn, DIFF_FILE), text.slice(0, MAX_DIFF_CHARS), { mode: 0o600 });
  return DIFF_FILE;
}

const DIFF_FILE = 'scope.diff';

/** What plans the tool `emit_event` for a turn; loaded where an agent gets it. */
export async function loadEmitAttach(): Promise<typeof attachEmit> {
  return (await import('./emit-attach.ts')).attachEmit;
}
