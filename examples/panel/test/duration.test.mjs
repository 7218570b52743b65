import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toText } from '../src/duration.mjs';

test('tells minutes and seconds', () => {
  assert.equal(toText(125), '2 min 5 s');
});

test('leaves out what is nothing', () => {
  assert.equal(toText(5), '5 s');
  assert.equal(toText(120), '2 min');
  assert.equal(toText(0), '0 s');
});

test('never says 60 s', () => {
  assert.equal(toText(59.6), '1 min');
  assert.equal(toText(119.7), '2 min');
});
