import { type Json, MAX_TOPIC_LENGTH } from '../core/index.ts';
import { MAX_PROMISE_LENGTH, MAX_SECONDS } from './accept-leaf.ts';
import type { ChoiceSetting, LeafSetting, NumberSetting, TextSetting } from './setting.ts';

type JsonSchema = { readonly [keyword: string]: Json };

/** A value from the environment, whatever it holds. */
const VARIABLE = String.raw`\$\{`;
const SEGMENT = '[A-Za-z0-9_-]+';
const STEP = String.raw`(?:${SEGMENT}|\*)`;
const AMOUNT = String.raw`(?:\d+(?:\.\d+)?|\.\d+)`;
const LINE = String.raw`[^\r\n]*\S[^\r\n]*`;

/** What a number may be written as besides a number. */
const NUMBER_TEXTS: Readonly<Record<NumberSetting['kind'], string>> = {
  integer: String.raw`^\s*-?\d+\s*$`,
  number: String.raw`^\s*-?\d+(?:\.\d+)?\s*$`,
  money: String.raw`^\s*\$?\s*${AMOUNT}\s*$`,
  duration: String.raw`^\s*(?:${AMOUNT}|(?:${AMOUNT}\s*(?:ms|s|m|h|d)\s*)+)\s*$`,
};

/** The JSON Schema of one scalar as it may be written. Bounds hold for numbers, patterns for texts. */
export function toLeafJsonSchema(setting: LeafSetting): JsonSchema {
  switch (setting.kind) {
    case 'flag':
      return { type: ['boolean', 'string'], pattern: VARIABLE };
    case 'choice':
      return toChoiceSchema(setting);
    case 'integer':
    case 'number':
    case 'duration':
    case 'money':
      return toNumberSchema(setting);
    default:
      return toTextSchema(setting.kind);
  }
}

function toChoiceSchema({ values }: ChoiceSetting): JsonSchema {
  return { anyOf: [{ enum: [...values] }, { type: 'string', pattern: VARIABLE }] };
}

function toNumberSchema({ kind, min, above, or }: NumberSetting): JsonSchema {
  const number = {
    type: [kind === 'integer' ? 'integer' : 'number', 'string'],
    ...(min === undefined ? {} : { minimum: min }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(kind === 'duration' ? { maximum: MAX_SECONDS } : {}),
    pattern: `${NUMBER_TEXTS[kind]}|${VARIABLE}`,
  };
  return or === undefined ? number : { anyOf: [number, { const: or }] };
}

function toTextSchema(kind: TextSetting['kind']): JsonSchema {
  const text = { type: 'string' } as const;
  switch (kind) {
    case 'text':
      return text;
    case 'variable':
      return { type: ['string', 'number', 'boolean'] };
    case 'word':
      return { type: ['string', 'number', 'boolean'], pattern: `^${LINE}$` };
    case 'line':
    case 'file':
      return { ...text, pattern: `^${LINE}$` };
    case 'command':
      return { ...text, pattern: String.raw`\S` };
    case 'topic':
      return { ...text, maxLength: MAX_TOPIC_LENGTH, pattern: String.raw`^${SEGMENT}(?:\.${SEGMENT})*$|${VARIABLE}` };
    case 'pattern':
      return { ...text, maxLength: MAX_TOPIC_LENGTH, pattern: String.raw`^${STEP}(?:\.${STEP})*$|${VARIABLE}` };
    case 'promise':
      return { ...text, maxLength: MAX_PROMISE_LENGTH, pattern: String.raw`^\S+$` };
    case 'path':
      return {
        ...text,
        pattern: String.raw`^(?![/~\\]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))(?!(?:\.[/\\]+)*\.git(?:[/\\]|$))${LINE}$`,
      };
  }
}
