import type { Settings } from '../../config/settings.ts';
import type { BackendSpec } from '../../core/backends/backend-spec.ts';
import { type JudgedCall, readCalledTool } from '../../core/hooks/called-tool.ts';
import type { HookVerdict, MergedHooks } from '../../core/hooks/hook-spec.ts';
import { createCallJudge } from '../../core/hooks/judge-call.ts';
import { NO_PERMISSIONS, type PermissionDecision } from '../../core/hooks/permission-spec.ts';
import { readOwn } from '../../core/values/json.ts';
import { toPlainLine } from '../../views/text/plain-text.ts';

export interface PermissionRow {
  readonly hat: string;
  readonly order: number;
  readonly permission: PermissionDecision;
  readonly rule: string;
  readonly place: string;
  /** Of rules that ask: what becomes of the call where nobody answers; `null` for others. */
  readonly on_ask: string | null;
  /** Agents of the hat that ask no rules; empty where they bind. */
  readonly unbound: readonly string[];
}

/** Agents of a hat that call their tools by themselves. */
export function listUnbound(worn: readonly BackendSpec[]): readonly string[] {
  return [...new Set(worn.map(({ type }) => type).filter((type) => type !== 'native'))];
}

/** The rules of all hats, or of one, each hat's in the order in which they are asked. */
export function listPermissionRows(settings: Settings, hat: string | undefined): readonly PermissionRow[] {
  const hats = Object.entries(settings.permissions ?? {}).filter(([id]) => hat === undefined || id === hat);
  return hats.flatMap(([id, { rules, onAsk }]) =>
    rules.map(({ decision, rule, place }, index) => ({
      hat: id,
      order: index + 1,
      permission: decision,
      rule,
      place,
      on_ask: decision === 'ask' ? onAsk : null,
      unbound: listUnbound(settings.backends[id] ?? []),
    })),
  );
}

/** The row of a table for people: hat, decision, rule, place, whether it binds. */
export function toPermissionCells({ hat, permission, rule, place, on_ask, unbound }: PermissionRow): readonly string[] {
  const decision = on_ask === null ? permission : `${permission}, nobody there: ${on_ask}`;
  const binds = unbound.length === 0 ? 'yes' : `not ${unbound.join(', ')}`;
  return [hat, decision, toPlainLine(rule, 100), toPlainLine(place, 80), binds];
}

/** What one hook or rule says about a call that is not made. */
export interface CallVerdict {
  readonly name: string;
  readonly decision: HookVerdict['decision'];
  readonly reason: string;
  readonly error: string | null;
  readonly ms: number;
}

export interface Verdicts {
  readonly verdicts: readonly CallVerdict[];
  readonly merged: MergedHooks;
}

const STRICTEST: readonly HookVerdict['decision'][] = ['deny', 'ask', 'allow'];

/** Puts what the rules of a hat say about a call behind what its hooks say; links in paths are not looked at. */
export function addPermissions(settings: Settings, hat: string, call: JudgedCall, hooks: MergedHooks): Verdicts {
  const { rules } = readOwn(settings.permissions ?? {}, hat) ?? NO_PERMISSIONS;
  // A call that a hook denies is not looked at any further.
  const named = hooks.decision === 'deny' ? [] : createCallJudge(rules).list(readCalledTool(call));
  const verdicts = named.map(({ decision, rule, place }): CallVerdict => {
    return { name: `permissions: ${decision} ${rule}`, decision, reason: place, error: null, ms: 0 };
  });
  const decision = STRICTEST.find((one) => hooks.decision === one || named[0]?.decision === one) ?? 'allow';
  const first = verdicts.find((verdict) => verdict.decision === decision && decision !== 'allow');
  const reasons = [hooks.reason, first === undefined ? '' : `${first.name} (${first.reason})`].filter((reason) => reason !== '');
  return { verdicts: [...toHookVerdicts(hooks), ...verdicts], merged: { ...hooks, decision, reason: reasons.join('\n') } };
}

/** What the hooks say alone. */
export function toHookVerdicts({ runs }: MergedHooks): readonly CallVerdict[] {
  return runs.map(({ name, decision, reason, error, ms }) => ({ name, decision, reason, error, ms }));
}
