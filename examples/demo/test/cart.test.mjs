import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totalOf } from '../src/cart.mjs';

test('adds up prices and counts', () => {
  assert.equal(totalOf([{ price: 2, count: 3 }, { price: 1, count: 1 }]), 7);
});

test('never gives more discount than the sum', () => {
  assert.equal(totalOf([{ price: 2, count: 1 }], 5), 0);
});

test('rounds to whole cents', () => {
  assert.equal(totalOf([{ price: 0.1, count: 3 }]), 0.3);
});
