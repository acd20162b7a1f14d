import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldContent } from './fold.js';
import { compareFacts, readFact } from './near-duplicate.js';
import { hashWords } from './words.js';

function sameFact(one: string, other: string): boolean {
  return compareFacts(readFact(one), readFact(other)) !== 'other';
}

describe('compareFacts treats as the same', () => {
  test.each([
    ['subject and verb in the plural', 'The deploy runs on Fridays', 'The deploys run on Fridays.'],
    ['subject and verb in the plural, one word apart', 'the query often times out', 'the queries often time out'],
    ['a plural that ends in -es', 'the branch passes review', 'the branches pass review'],
    ['an article more', 'User prefers dark mode', 'The user prefers dark mode.'],
    ['another article', 'We have a deploy freeze', 'We have the deploy freeze'],
    ['case and punctuation', 'Meet at 3pm, room Blue!', 'meet at 3PM room blue'],
    ['a contraction', "It's late and we don't deploy", 'It is late and we do not deploy'],
    ['an irregular contraction', "They can't and won't", 'They cannot and will not'],
    ['a typographic apostrophe', 'It isn’t done', "It isn't done"],
    ['another spelling', 'Her favourite colour is grey', 'Her favorite color is gray'],
    ['a number in words', 'We run three replicas', 'We run 3 replicas'],
    ['a unit written apart', 'Meet at 3 pm', 'Meet at 3pm'],
    ['a per cent sign', 'Load is 80 percent', 'Load is 80%'],
  ])('%s', (_, one, other) => {
    expect(sameFact(one, other)).toBe(true);
    expect(sameFact(other, one)).toBe(true);
    expect(hashWords(one)).toBe(hashWords(other));
  });
});

describe('compareFacts distinguishes', () => {
  test.each([
    // Numbers, dates, times, units
    ['times', 'meet at 3pm', 'meet at 4pm'],
    ['halves of the day', 'meet at 3am', 'meet at 3pm'],
    ['minutes', 'standup is at 10:30', 'standup is at 10:15'],
    ['dates', 'due 2026-11-20', 'due 2026-11-21'],
    ['years', 'founded in 1998', 'founded in 1999'],
    ['decimals', 'costs 1.5 million', 'costs 15 million'],
    ['signs', 'it is -5 degrees', 'it is 5 degrees'],
    ['numbers in words', 'we run three replicas', 'we run five replicas'],
    ['number words and digits', 'we run three replicas', 'we run 4 replicas'],
    ['a pronoun and a number', 'no one is on call', 'no. 1 is on call'],
    ['ordinals', 'the first of May', 'the second of May'],
    ['how often a number is said', 'the code is 5 5', 'the code is 5'],
    ['the order of numbers', 'between 5 and 10', 'between 10 and 5'],
    ['currencies', 'it costs $5', 'it costs €5'],
    ['units', 'the limit is 5 GB', 'the limit is 5 MB'],
    ['units of another case', 'it draws 5 mW', 'it draws 5 MW'],
    ['units of another case after a word', 'it draws five mW', 'it draws five MW'],
    ['units of time', 'backups run daily', 'backups run weekly'],
    ['spans', 'kept for 30 days', 'kept for 30 weeks'],
    ['a percentage and a number', 'load is 80%', 'load is 80'],
    ['weekdays', 'deploys run on Friday', 'deploys run on Monday'],
    ['one weekday and all of them', 'we deploy on Friday', 'we deploy on Fridays'],
    ['a weekday as the subject', 'the friday works for Alice', 'the fridays work for Alice'],
    ['months', 'the launch is in March', 'the launch is in May'],
    ['days relative to today', 'the launch is today', 'the launch is tomorrow'],

    // Negation and opposites
    ['not', 'we do deploy on Fridays', 'we do not deploy on Fridays'],
    ["n't", 'Alice is coming', "Alice isn't coming"],
    ['never', 'we deploy on Fridays', 'we never deploy on Fridays'],
    ['no', 'there are plans', 'there are no plans'],
    ['without', 'tea with milk', 'tea without milk'],
    ['enable and disable', 'enable the cache', 'disable the cache'],
    ['allow and deny', 'allow port 22', 'deny port 22'],
    ['on and off', 'the flag is on', 'the flag is off'],
    ['before and after', 'call before lunch', 'call after lunch'],
    ['more and less', 'more than 5 users', 'less than 5 users'],
    ['increase and decrease', 'increase the limit', 'decrease the limit'],
    ['true and false', 'debug is true', 'debug is false'],
    ['min and max', 'min length is 8', 'max length is 8'],
    ['can and must', 'users can sign in', 'users must sign in'],
    ['all and some', 'all tests pass', 'some tests pass'],
    ['only', 'admins can delete', 'only admins can delete'],
    ['German', 'Der Dienst ist aktiv', 'Der Dienst ist nicht aktiv'],
    ['German articles', 'Wir haben eine Lizenz', 'Wir haben keine Lizenz'],
    ['French', 'Le service est actif', "Le service n'est pas actif"],
    ['Spanish', 'El servicio está activo', 'El servicio no está activo'],

    // Identifiers
    ['URLs', 'docs at https://a.example/v1', 'docs at https://a.example/v2'],
    ['URLs of another case', 'see https://a.example/aB', 'see https://a.example/ab'],
    ['paths', 'config in /etc/a.conf', 'config in /etc/b.conf'],
    ['e-mail addresses', 'write to a@x.example', 'write to b@x.example'],
    ['versions', 'we run v1.2', 'we run v1.3'],
    ['hashes', 'commit 9f5eb9a broke it', 'commit 9f5eb9b broke it'],
    ['snake case', 'call get_user', 'call get_users'],
    ['camel case', 'call getUser', 'call setUser'],
    ['languages', 'written in C', 'written in C++'],
    ['operators', 'x < y', 'x > y'],
    ['emoji', 'release 👍', 'release 👎'],

    // Names and roles
    ['names', 'Alice likes coffee', 'Carol likes coffee'],
    ['names in lower case', 'alice likes coffee', 'carol likes coffee'],
    ['who does what to whom', 'Alice owes Bob', 'Bob owes Alice'],
    ['what is preferred to what', 'tabs over spaces', 'spaces over tabs'],
    ['directions', 'from Paris to Rome', 'from Rome to Paris'],
    ['a name and its plural', 'Smith runs the shop', 'Smiths run the shop'],
    ['quoted words', 'the door code is "blue"', 'the door code is "green"'],
    ['labels that look like articles', 'take plan A today', 'take plan today'],
    ['labels at the end', 'we chose option a', 'we chose option'],

    // Plain words
    ['colors', 'her favorite color is red', 'her favorite color is blue'],
    ['verbs', 'Alice loves coffee', 'Alice hates coffee'],
    ['tenses', 'Alice works at Acme', 'Alice worked at Acme'],
    ['something added', 'the key is in the drawer', 'the key is in the left drawer'],
    ['a question', 'the deploy is done?', 'the deploy is done.'],
    ['how many there are', 'Alice lost the key', 'Alice lost the keys'],
    ['how many brothers', 'my brother lives in Rome', 'my brothers live in Rome'],
    ['a plural of the subject alone', 'the deploy fails', 'the deploys fails'],
    ['words in a compound', 'a man-eating fish', 'a man eating fish'],
    ['a verb far from its subject', 'the query very often times out', 'the queries very often time out'],
    ['words run together', 'use x b here', 'use xb here'],
    ['punctuation alone', '!!', '"'],
    ['articles alone', 'the', 'an'],

    // Scripts without case
    ['Chinese', '会议在三点', '会议在四点'],
    ['Japanese', '彼は行く', '彼は行かない'],
    ['Arabic', 'الاجتماع يوم الأحد', 'الاجتماع يوم الاثنين'],
    ['Russian', 'он придёт', 'он не придёт'],
  ])('%s', (_, one, other) => {
    expect(sameFact(one, other)).toBe(false);
    expect(sameFact(other, one)).toBe(false);
  });

  test('long contents that are not equal', () => {
    const long = 'word '.repeat(2_001);

    expect(sameFact(long, long)).toBe(true);
    expect(sameFact(long, `the ${long}`)).toBe(false);
  });
});

describe('compareFacts', () => {
  const word = fc.constantFrom(
    'Alice',
    'Bob',
    'the',
    'A',
    'a',
    'not',
    "don't",
    'deploy',
    'deploys',
    'run',
    'runs',
    '3',
    'three',
    'pm',
    '3pm',
    'MW',
    'mW',
    'on',
    'Friday',
    'Fridays',
    'é',
    '会议',
    '%',
    '-5',
    'x_y',
    '...',
    '"',
    '',
  );
  const sentence = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
  const text = fc.oneof(sentence, fc.string({ unit: 'grapheme' }));

  test('is reflexive and symmetric', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(sameFact(one, one)).toBe(true);
        expect(sameFact(one, other)).toBe(sameFact(other, one));
      }),
      { numRuns: 2000 },
    );
  });

  test('returns same for contents with equal folds', () => {
    fc.assert(
      fc.property(sentence, (one) => {
        const other = ` ${one.replaceAll(' ', '\n')} !`;
        fc.pre(foldContent(one) === foldContent(other));

        expect(sameFact(one, other)).toBe(true);
      }),
    );
  });

  test('never returns same if a number differs', () => {
    fc.assert(
      fc.property(sentence, sentence, fc.nat(), fc.nat(), (before, after, one, other) => {
        fc.pre(one !== other);

        expect(sameFact(`${before} ${one} ${after}`, `${before} ${other} ${after}`)).toBe(false);
      }),
    );
  });

  test('never returns same if a word is inserted', () => {
    const added = fc.constantFrom('not', 'never', 'nicht', 'pas', 'no', 'without', 'only', 'Carol', '7', 'old', 'x_1');
    fc.assert(
      fc.property(sentence, sentence, added, (before, after, more) => {
        expect(sameFact(`${before} so ${after}`, `${before} ${more} so ${after}`)).toBe(false);
      }),
    );
  });

  test('never returns same if two names change places', () => {
    fc.assert(
      fc.property(
        sentence,
        fc.tuple(fc.stringMatching(/^[A-Z][a-z]{2,6}$/), fc.stringMatching(/^[A-Z][a-z]{2,6}$/)),
        (middle, [one, other]) => {
          fc.pre(foldContent(one) !== foldContent(other) && ![one, other].some((name) => /^(the|an?)$/i.test(name)));

          expect(sameFact(`so ${one} ${middle} ${other}`, `so ${other} ${middle} ${one}`)).toBe(false);
        },
      ),
    );
  });
});

describe('hashWords', () => {
  /** Words with several spellings, and words that are easily confused. */
  const VARIANTS = [
    ['the', 'The', 'a', 'A', 'an', ''],
    ['deploy', 'Deploy', 'deploys', 'deploys,'],
    ['run', 'runs', 'Runs'],
    ['fly', 'flies'],
    ['pass', 'passes'],
    ['the', 'thes'],
    ["it's", 'it is', 'It’s'],
    ["can't", 'cannot', "don't", 'do not'],
    ['colour', 'color', 'Colour'],
    ['two', '2'],
    ['3 pm', '3pm', '3PM', '3 a m', '3 A m'],
    ['5 min', '5min', '5 mins', 'min'],
    ['percent', '%', '80 percent', '80%'],
    ['5 mW', '5 MW', '5mW'],
    ['plan A', 'plan a'],
    ['x_1', 'X_1', 'fooBar1'],
    ['!', '…', '"so"', '(so)'],
  ];
  const words = fc.array(
    fc.constantFrom(...VARIANTS).chain((ways) => fc.tuple(way(ways), way(ways))),
    {
      maxLength: 6,
    },
  );

  function way(ways: readonly string[]) {
    return fc.constantFrom(...ways);
  }

  test('is the same for near-duplicates and for contents with equal folds', () => {
    let same = 0;
    fc.assert(
      fc.property(words, (pairs) => {
        const [one, other] = [0, 1].map((side) => pairs.map((pair) => pair[side]).join(' ')) as [string, string];
        if (!sameFact(one, other) && foldContent(one) !== foldContent(other)) return;
        same += 1;

        expect(hashWords(one)).toBe(hashWords(other));
      }),
      { numRuns: 5_000 },
    );
    expect(same).toBeGreaterThan(500);
  });

  test('differs for contents with other words', () => {
    const contents = ['we use tabs', 'we use spaces', 'use we tabs', 'we use 3 tabs', 'we do not use tabs', ''];

    expect(new Set(contents.map((content) => hashWords(content))).size).toBe(contents.length);
  });
});
