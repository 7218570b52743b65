import { expect, it } from 'vitest';
import { type Handlers, handle, ignore } from './handlers.ts';

type Shape = { readonly type: 'circle'; readonly radius: number } | { readonly type: 'square'; readonly side: number };

it('the function of a member gets what was given, then the member', () => {
  const seen: unknown[] = [];
  const handlers: Handlers<Shape, [factor: number, unit: string]> = {
    circle: ignore,
    square: (factor, unit, { side }) => void seen.push(`${side * factor} ${unit}`),
  };
  handle(handlers, { type: 'square', side: 2 }, 3, 'cm');
  handle(handlers, { type: 'circle', radius: 1 }, 3, 'cm');
  expect(seen).toEqual(['6 cm']);
});

it('what the function answers is the answer', () => {
  const handlers: Handlers<Shape, [], number> = { circle: ({ radius }) => radius * 2, square: ({ side }) => side };
  expect(handle(handlers, { type: 'circle', radius: 4 })).toBe(8);
});
