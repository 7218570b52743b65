import { describe, expect, it } from 'vitest';
import { loadText } from '../config-fixtures.ts';

/** What is offered for hats without triggers: `title`, with `!` where it is sure. */
function offers(hats: string): readonly string[] {
  const found = loadText(
    `hats:\n  planner: {triggers: [task.start, task.resume], publishes: [build.task, docs.task]}\n${hats}`,
  ).diagnostics;
  return found
    .filter(({ code }) => code === 'triggers-missing')
    .map(({ repairs = [] }) => repairs.map(({ title, isSafe }) => `${title}${isSafe ? '!' : ''}`).join());
}

describe('a hat without triggers', () => {
  it('is offered the only event that nobody takes, which is sure', () => {
    expect(offers('  writer: {triggers: [docs.task]}\n  x: {}\n')).toEqual(['let \'x\' take "build.task", which nobody takes!']);
  });

  it('is offered the one that has a word in common with its id or its events, where there are several', () => {
    expect(offers('  builder: {}\n')).toEqual(['let \'builder\' take "build.task", which nobody takes']);
    expect(offers('  x: {publishes: [docs.done]}\n')).toEqual(['let \'x\' take "docs.task", which nobody takes']);
  });

  it('is offered nothing where nothing tells', () => {
    expect(offers('  x: {}\n')).toEqual(['']);
    expect(offers('  b: {triggers: ["*"]}\n  x: {}\n')).toEqual(['']);
  });
});
