import type { CalledTool } from './called-tool.ts';
import { type CallMatcher, createCallMatcher } from './match-call.ts';
import { PERMISSION_DECISIONS, type PermissionDecision, type PermissionRule } from './permission-spec.ts';

export interface CallJudge {
  /** The rule that decides about a call: the first that denies, else the first that asks, else the first that allows; `null` where none names it. */
  readonly judge: (call: CalledTool) => PermissionRule | null;
  /** Every rule that names it, in the order in which they are asked. */
  readonly list: (call: CalledTool) => readonly PermissionRule[];
}

/** A rule that cannot be read is refused with the configuration; should one get here, it denies and asks about everything, and allows nothing. */
const UNREADABLE: Omit<CallMatcher, 'rule'> = { touches: () => true, covers: () => false };

/** Makes rules ready, in whatever order they are given. */
export function createCallJudge(rules: readonly PermissionRule[]): CallJudge {
  const ready = PERMISSION_DECISIONS.flatMap((decision) =>
    rules.filter((rule) => rule.decision === decision).map((rule) => ({ rule, matcher: createCallMatcher(rule.rule) ?? UNREADABLE })),
  );
  const names = ({ rule, matcher }: (typeof ready)[number], call: CalledTool): boolean => WAYS[rule.decision](matcher, call);
  return {
    judge: (call) => ready.find((one) => names(one, call))?.rule ?? null,
    list: (call) => ready.filter((one) => names(one, call)).map(({ rule }) => rule),
  };
}

/** What is denied or asked about need only be a part of the call; what is allowed has to be all of it. */
const WAYS: Readonly<Record<PermissionDecision, (matcher: Omit<CallMatcher, 'rule'>, call: CalledTool) => boolean>> = {
  deny: ({ touches }, call) => touches(call),
  ask: ({ touches }, call) => touches(call),
  allow: ({ covers }, call) => covers(call),
};
