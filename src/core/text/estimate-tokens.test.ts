import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What the estimate says for each token that the tokenizer counts. */
function toRatio(text: string): number {
  return estimateTokens(text) / countTokens(text);
}

function readAll(folder: string, ending: string): readonly (readonly [name: string, text: string])[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(ending));
  return names.map((name) => [`${folder}/${name}`, readFileSync(join(ROOT, folder, name), 'utf8')]);
}

describe('the estimate of tokens', () => {
  it.each([...readAll('src/prompts/golden', '.md'), ...readAll('presets', '.yml')])(
    'is within a tenth of what a tokenizer counts: %s',
    (_, text) => {
      expect(Math.abs(toRatio(text) - 1)).toBeLessThanOrEqual(0.1);
    },
  );

  it.each([
    ['Chinese', '我们今天修复了列表命令的错误，测试已经全部通过。'],
    ['Russian', 'Сегодня мы исправили ошибку в команде списка, все тесты проходят.'],
    ['Czech', 'Dnes jsme opravili chybu v příkazu seznamu a všechny testy procházejí.'],
    ['code', 'export function toList(words: readonly string[]): string {\n  return words.map((word) => word.trim()).join(", ");\n}\n'],
  ])('is not far off for %s: at most two for one, and two thirds of one', (_, text) => {
    expect(toRatio(text)).toBeGreaterThanOrEqual(0.65);
    expect(toRatio(text)).toBeLessThanOrEqual(2);
  });

  it('is nothing for nothing', () => {
    expect(estimateTokens('')).toBe(0);
  });
});
