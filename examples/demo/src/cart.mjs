/** The sum of a cart in currency units, less a discount. */
export function totalOf(items, discount = 0) {
  const sum = items.reduce((total, item) => total + item.price * item.count, 0);
  return sum - discount;
}
