import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { toTurnName } from '../core/run/turn.ts';
import { MAX_KEPT_CHANGES, type ScopeViolations } from '../core/tools/scope-violations.ts';
import { mayChangeTree } from '../core/tools/tool-profiles.ts';
import { quietly } from '../core/values/result.ts';
import type { Surroundings } from '../loop/shell/loop-ports.ts';
import { findAgentPolicy, mayHatChangeTree, toAgentCapabilities } from '../runs/hat-capabilities.ts';
import { toStateDirs } from '../safety/run-isolation.ts';
import type { TurnSandboxes } from '../sandbox/turn-sandbox.ts';
import { watchPlainly } from '../workspace/watch/create-tree-watch.ts';
import type { PanelAgentOrder, PanelAttach, PanelScopes } from './scope-contract.ts';
import { openOwnScratch, openPrivate, type ScopeTools, type TurnScopeSettings, toCopySettings, toSandboxOrder } from './scope-tools.ts';

/** What panels share with the other turns of a run. */
interface SharedScopes {
  readonly open: () => Promise<ScopeTools>;
  /** What is open already. */
  readonly opened: () => Promise<ScopeTools> | undefined;
  /** Puts the difference of a turn into its folder. */
  readonly keepDiff: (turn: string) => Promise<string | null>;
}

export function createPanelScopes(made: TurnScopeSettings, shared: SharedScopes): PanelScopes {
  const found = new Map<string, ScopeViolations[]>();
  const sandboxesOf = new Map<string, TurnSandboxes>();
  return {
    open: async (order, plain) => {
      const turn = toTurnName(order);
      const mayChange = mayHatChangeTree(made.settings, order.hat);
      if (mayChange) (await shared.opened())?.watch.pass();
      const endLook = mayChange ? async () => null : await beginLook(made, await shared.open(), turn, shared.keepDiff);
      return {
        ...plain,
        close: async () => {
          const own = await endLook();
          const ofAgents = found.get(turn) ?? [];
          found.delete(turn);
          return joinViolations(own, ofAgents);
        },
      };
    },
    openAgent: async (agent) => {
      const { order, spec } = agent;
      const { settings } = made;
      const isOpen = findAgentPolicy(settings, order.hat, spec) === null && settings.sandbox.hats[order.hat] !== 'required';
      if ((isOpen && agent.attach === undefined) || spec.type === 'scripted') return agent.plain;
      const opened = await shared.open();
      const { cwd } = agent.plain;
      const sandboxes = sandboxesOf.get(cwd) ?? opened.createTurnSandboxes(toCopySettings(made, opened.os, cwd));
      sandboxesOf.set(cwd, sandboxes);
      return holdAgent(made, sandboxes, { ...agent, isOpen }, (violations) => {
        found.set(toTurnName(order), [...(found.get(toTurnName(order)) ?? []), violations]);
      });
    },
  };
}

/** The folder of a run whose panel may not write: nothing of its agents' is taken over into it. */
async function beginLook(
  made: TurnScopeSettings,
  { watch }: ScopeTools,
  turn: string,
  keepDiff: SharedScopes['keepDiff'],
): Promise<() => Promise<ScopeViolations | null>> {
  const scratch = await openOwnScratch(made);
  const look = await watch.begin(scratch.folders, turn);
  return async () => {
    scratch.close();
    return look.end(() => keepDiff(turn));
  };
}

async function holdAgent(
  made: TurnScopeSettings,
  sandboxes: TurnSandboxes,
  { order, spec, plain, name, promptFile, attach, more = [], isOpen }: PanelAgentOrder & { readonly isOpen: boolean },
  report: (violations: ScopeViolations) => void,
): Promise<Surroundings> {
  const { settings } = made;
  const may = toAgentCapabilities(settings, order.hat, spec);
  const turn = `${toTurnName(order)}.${name}`;
  // Here temporary files may be written whatever else may be.
  for (const dir of toAgentDirs(made)) mkdirSync(join(plain.cwd, dir), { recursive: true });
  const attachTools = (folder: string): ReturnType<PanelAttach> => attach?.(folder, !isOpen && !mayChangeTree(may)) ?? null;
  const held = toSandboxOrder(made, { hat: order.hat, spec, plain, may, turn, promptFile, attach: attachTools });
  const sandbox = await sandboxes.open({ ...held, more: [...held.more, ...more], isOpen });
  const endLook =
    isOpen || mayChangeTree(may) ? () => null : watchPlainly({ cwd: plain.cwd, stateDirs: toStateDirs(settings) }, sandbox.scratch);
  return {
    ...plain,
    scope: sandbox.scope,
    ...openPrivate(made, turn, plain),
    close: async () => {
      const violations = endLook();
      if (violations !== null) report(violations);
      // Files of the turn that cannot be removed now are swept when the run begins again.
      quietly(() => sandbox.close());
      return violations;
    },
  };
}

function toAgentDirs({ settings }: TurnScopeSettings): readonly string[] {
  return toStateDirs(settings).filter((name) => name !== settings.stateDir);
}

const NOT_TAKEN = 'Agents of a panel work in folders of their own: what they changed there was not taken over.';

/** What was changed in the folder of the run, and in those of the agents, by paths alone: the next prompt says them, and no agent learns who is who. */
function joinViolations(own: ScopeViolations | null, ofAgents: readonly ScopeViolations[]): ScopeViolations | null {
  if (ofAgents.length === 0) return own;
  const all = [...(own === null ? [] : [own]), ...ofAgents];
  const there = own?.total ?? 0;
  const apart = ofAgents.reduce((sum, { total }) => sum + total, 0);
  return {
    diffFile: null,
    ...own,
    changes: all.flatMap(({ changes }) => changes).slice(0, MAX_KEPT_CHANGES),
    total: there + apart,
    // What is not taken over is as good as taken back.
    reverted: there > 0 && own?.reverted === null ? null : (own?.reverted ?? 0) + apart,
    notes: [...new Set([...all.flatMap(({ notes }) => notes), NOT_TAKEN])].slice(0, MAX_KEPT_CHANGES),
  };
}
