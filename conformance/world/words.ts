import { randomInt } from 'node:crypto';

/** Plain words without a meaning in common, so that two texts made of them are not near-duplicates. */
const WORDS = (
  'amber anchor apple arrow autumn badger balcony bamboo barley basket beacon bishop blanket bottle branch bridge ' +
  'bronze bucket button cabin cactus camel candle canyon carpet castle cedar cellar chapel cherry chimney circus ' +
  'clover cobalt coffee comet copper coral cotton cradle cricket crystal dagger daisy dancer desert diamond dolphin ' +
  'donkey dragon drum eagle ember engine falcon feather ferry fiddle flame forest fossil fountain galaxy garden garlic ' +
  'ginger glacier granite grape hammer harbor hazel helmet heron honey island ivory jacket jasmine jewel jungle kettle ' +
  'lantern lemon linen lizard lobster lotus magnet maple marble meadow melon mirror monkey mosaic mountain mustard ' +
  'needle nickel oasis ocean olive onion orchid otter oyster paddle palace panther paper parrot pearl pebble pepper ' +
  'pigeon pillow pirate planet pocket poppy potato prairie puzzle quartz rabbit raven ribbon river rocket saddle saffron ' +
  'salmon sandal satin shadow shovel silver spider spruce statue summer sunset temple thistle thunder tiger timber ' +
  'tomato tulip tunnel turtle valley velvet violin walnut walrus willow window winter wizard yellow zebra zephyr'
).split(' ');

/** Some words by chance, parted by spaces. */
export function randomWords(count: number): string {
  return Array.from({ length: count }, () => WORDS[randomInt(WORDS.length)]).join(' ');
}

/** Lower-case letters and digits by chance. */
export function randomToken(length: number): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** A text that no other check and no other run has written. */
export function uniqueText(topic: string): string {
  return `${topic} ${randomWords(6)} ${randomToken(10)}`;
}

/** A word for a key, a project or an agent that no other check uses. */
export function uniqueWord(): string {
  return `c-${randomToken(14)}`;
}
