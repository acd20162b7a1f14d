const CONTRACTED_NOT = /^(do|does|did|is|are|was|were|has|have|had|would|could|should|must)n't$/i;
const CONTRACTED = /^(\p{L}+)('re|'ve|'ll|'m)$/iu;
const WITH_IS = /^(it|he|she|that|there|here|what|who|where)'s$/i;
const IRREGULAR = new Map([
  ["can't", ['can', 'not']],
  ['cannot', ['can', 'not']],
  ["won't", ['will', 'not']],
  ["shan't", ['shall', 'not']],
  ["let's", ['let', 'us']],
  ['dont', ['do', 'not']],
  ['doesnt', ['does', 'not']],
  ['didnt', ['did', 'not']],
  ['isnt', ['is', 'not']],
  ['arent', ['are', 'not']],
  ['wasnt', ['was', 'not']],
  ['gonna', ['going', 'to']],
  ['wanna', ['want', 'to']],
  ['zum', ['zu', 'dem']],
  ['zur', ['zu', 'der']],
  ['beim', ['bei', 'dem']],
  ['vom', ['von', 'dem']],
]);
const ENDINGS = new Map([
  ["'re", 'are'],
  ["'ve", 'have'],
  ["'ll", 'will'],
  ["'m", 'am'],
]);

/** Expands a contraction into its words. */
export function expand(token: string): string[] {
  const irregular = IRREGULAR.get(token.toLowerCase());
  if (irregular) return irregular;
  if (!token.includes("'")) return [token];
  const verb = CONTRACTED_NOT.exec(token)?.[1];
  if (verb !== undefined) return [verb, 'not'];
  const subject = WITH_IS.exec(token)?.[1];
  if (subject !== undefined) return [subject, 'is'];
  const [, stem, ending = ''] = CONTRACTED.exec(token) ?? [];
  const word = ENDINGS.get(ending.toLowerCase());
  return stem === undefined || word === undefined ? [token] : [stem, word];
}

const SPELLINGS = new Map(
  Object.entries({
    behaviour: 'behavior',
    cancelled: 'canceled',
    centre: 'center',
    colour: 'color',
    colours: 'colors',
    'e-mail': 'email',
    analyse: 'analyze',
    analysed: 'analyzed',
    apologise: 'apologize',
    artefact: 'artifact',
    artefacts: 'artifacts',
    authorise: 'authorize',
    authorised: 'authorized',
    cancelling: 'canceling',
    catalogue: 'catalog',
    customise: 'customize',
    defence: 'defense',
    favour: 'favor',
    favourites: 'favorites',
    flavour: 'flavor',
    honour: 'honor',
    initialise: 'initialize',
    labelled: 'labeled',
    labour: 'labor',
    licence: 'license',
    modelling: 'modeling',
    neighbour: 'neighbor',
    neighbours: 'neighbors',
    optimise: 'optimize',
    optimised: 'optimized',
    organise: 'organize',
    organised: 'organized',
    organisations: 'organizations',
    prioritise: 'prioritize',
    realise: 'realize',
    recognise: 'recognize',
    summarise: 'summarize',
    synchronise: 'synchronize',
    theatre: 'theater',
    travelled: 'traveled',
    travelling: 'traveling',
    visualise: 'visualize',
    straße: 'strasse',
    groß: 'gross',
    größe: 'grösse',
    daß: 'dass',
    muß: 'muss',
    heißt: 'heisst',
    für: 'fuer',
    über: 'ueber',
    müssen: 'muessen',
    können: 'koennen',
    clef: 'clé',
    évènement: 'événement',
    periodo: 'período',
    ещё: 'еще',
    её: 'ее',
    идёт: 'идет',
    придёт: 'придет',
    ação: 'acção',
    ótimo: 'óptimo',
    'e-mails': 'emails',
    favourite: 'favorite',
    grey: 'gray',
    okay: 'ok',
    organisation: 'organization',
    percent: '%',
    two: '2',
    three: '3',
    four: '4',
    five: '5',
    six: '6',
    seven: '7',
    eight: '8',
    nine: '9',
    ten: '10',
    eleven: '11',
    twelve: '12',
  }),
);

/** Returns the same spelling for all spellings of a word. */
export function canonical(text: string): string {
  return SPELLINGS.get(text) ?? text;
}

/** Words whose spellings are different names, of people or parties. */
const SURNAMES = /^(?:Gr[ae]y|Gro(?:ß|ss)|Labour|Honour)$/;

export function isSurname(token: string): boolean {
  return SURNAMES.test(token);
}
