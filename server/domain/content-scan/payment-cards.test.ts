import { describe, expect, test } from 'vitest';
import { pick, seededRandom } from '../../testing/fixtures/random-text.js';
import { scanTexts } from './scan.js';

/** First digits and lengths, by issuer. */
const CARDS: readonly (readonly [string, string, number])[] = [
  ['Visa', '4', 16],
  ['Visa', '4', 13],
  ['Visa', '4', 19],
  ['Mastercard', '55', 16],
  ['Mastercard, second range', '2221', 16],
  ['Mastercard, second range', '2720', 16],
  ['American Express', '34', 15],
  ['American Express', '37', 15],
  ['Diners Club', '305', 14],
  ['Diners Club', '36', 14],
  ['Discover', '6011', 16],
  ['Discover', '649', 16],
  ['JCB', '3530', 16],
  ['UnionPay', '62', 19],
  ['Mir', '2204', 16],
  ['Maestro', '6759', 18],
];

describe.each(CARDS)('a number of %s that starts with %s and has %i digits', (_, start, length) => {
  test('is detected only with the right check digit', () => {
    const random = seededRandom(length + Number(start));
    const numbers = Array.from({ length: 100 }, () => cardNumber(start, length, random));
    const wrong = numbers.map((number) => number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10));

    expect(numbers.filter((number) => !found(`card ${number}, thanks`))).toEqual([]);
    expect(wrong.filter((number) => found(`card ${number}, thanks`))).toEqual([]);
  });
});

test.each([
  ['4111 1111 1111 1111'],
  ['4111-1111-1111-1111'],
  ['4111.1111.1111.1111'],
  ['4111\u00a01111\u00a01111\u00a01111'],
  ['3782 822463 10005'],
  ['3056 930902 5904'],
  ['4242424242424242'],
  ['Pay with 5555 5555 5555 4444 12/30 123'],
  ['card:4111111111111111;'],
  ['id-4111111111111111'],
  ['order 17 4111 1111 1111 1111'],
  ['4111111111111111.'],
  ['４ is not 4, but 4111111111111111 is'],
  ['4111\u200b111111111111'],
  ['４１１１１１１１１１１１１１１１'],
  ['４１１１－１１１１－１１１１－１１１１'],
  ['4111\u20111111\u20111111\u20111111'],
  ['\u{1d7d2}\u{1d7cf}\u{1d7cf}\u{1d7cf}111111111111'],
])('finds %s', (text) => {
  expect(scanTexts([text])).toEqual(['payment_card']);
});

test.each([
  ['a time in milliseconds', '1767225600000'],
  ['a time in microseconds', '1767225600000000'],
  ['a time in nanoseconds', '1767225600000000000'],
  ['a fraction', '0.4111111111111111'],
  ['a number with a fraction', '4111111111111111.25'],
  ['a part of a word', 'a4111111111111111'],
  ['a part of a hexadecimal number', '4111111111111111f'],
  ['a UUID of digits', '41111111-1111-4111-1111-111111111111'],
  ['groups of other sizes', '411 111 111 111 1111'],
  ['two separators in one number', '4111 1111-1111 1111'],
  ['a row of years', '2019 2020 2021 2022 2023 2024'],
  ['digits of other lengths', '411111111111111'],
  ['a telephone number', '+44 20 7946 0958'],
  ['nothing but zeros', '0000 0000 0000 0000'],
])('lets %s pass', (_, text) => {
  expect(scanTexts([text])).toEqual([]);
});

test('never reports a barcode as a card, whatever its check digits are', () => {
  const random = seededRandom(13);
  const starts = ['4', '40', '49', '45', '5018', '5020', '5038'];
  const barcodes = Array.from({ length: 2_000 }, () => barcode(pick(starts, random), random));

  expect(barcodes.filter((number) => sumOf(number) % 10 === 0).length).toBeGreaterThan(100);
  expect(barcodes.filter((number) => found(`EAN ${number}, 3 in stock`))).toEqual([]);
});

test.each([
  ['4222 2222 2222 2'],
  ['4222-2222-2222-2'],
  ['Visa: 4222222222222'],
  ['4222222222222 ist die Kreditkarte'],
  ['カード4222222222222'],
])('detects thirteen digits in groups or near a word for a card: %s', (text) => {
  expect(scanTexts([text])).toEqual(['payment_card']);
});

function found(text: string): boolean {
  return scanTexts([text]).includes('payment_card');
}

function cardNumber(start: string, length: number, random: () => number): string {
  const digits = '0123456789'.split('');
  const body = start + Array.from({ length: length - start.length - 1 }, () => pick(digits, random)).join('');
  const check = digits.find((digit) => sumOf(body + digit) % 10 === 0);
  return body + check;
}

/** Returns thirteen digits with the check digit of EAN-13. */
function barcode(start: string, random: () => number): string {
  const digits = '0123456789'.split('');
  const body = start + Array.from({ length: 12 - start.length }, () => pick(digits, random)).join('');
  const sum = [...body].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 1 ? 3 : 1), 0);
  return body + ((10 - (sum % 10)) % 10);
}

function sumOf(number: string): number {
  return [...number].toReversed().reduce((sum, digit, place) => {
    const doubled = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return sum + Math.floor(doubled / 10) + (doubled % 10);
  }, 0);
}
