import { stemmer } from 'stemmer';

/**
 * Knowledge about English words that a hash lacks: which are
 * too common to tell texts apart, which are given names, and which forms no
 * suffix rule brings together. Part of the local model's identity: a changed
 * line changes vectors, so it needs a new model name.
 */

const FUNCTION_WORDS = `
a about above across after against ago all along already also although always am among an and another any anybody
anyone anything are around as at away be because been before behind being below beside besides between beyond both
but by can cannot could did do does doing done down during each either else even ever every everybody everyone
everything few for from had has have having he hence her here hers herself him himself his how however i if in
indeed instead into is it its itself just least less like may me might mine more most much must my myself near
neither never no nobody none nor not nothing of off often on once one only onto or other others otherwise ought our
ours ourselves out over own per perhaps please quite rather really same shall she should since so some somebody
someone something sometimes still such than that the their theirs them themselves then there therefore these they
this those though through throughout thus till to together too toward towards under unless until up upon us very via
was we were what whatever when whenever where wherever whether which while who whoever whom whose why will with
within without would yes yet you your yours yourself yourselves ok okay oh hey hi hello yeah wow thanks thank ll ve
re
`;

/** The same kind of words in other languages, where they mean nothing else in English. */
const FOREIGN_FUNCTION_WORDS = `
der das den dem des ein eine einen einem einer eines und oder aber ist sind waren wird werden nicht auch auf aus bei
mit nach von zu zum zur im ich du er sie es wir ihr mein dein sein wie wo wann wer als wenn dass
le la les un une de et ou est sont dans sur avec pour par pas ne que qui ce cette ces il elle nous vous ils elles je
tu mon ma mes ton ta tes au aux quand pourquoi
el los las una unos unas y o e en con por para del al se su sus lo como pero mas muy mi yo os uma da dos em com para
nao seu sua lo gli di che non sono con del della dei nel
het een van ik hij zij wij niet zijn op aan met voor te dat wat waar
и в на не что как это с по но из у за от к о же бы он она они мы вы я ты его ее их где когда кто
`;

/** Words of almost every conversation. */
const EVERYDAY_WORDS = `
able actually add again agree almost anyway anywhere ask awesome back bad base become begin believe best better big
bit bring call case certain certainly chance change check clear come completely consider continue cool couple
current currently day deal decide definitely different easy end enjoy enough especially exactly example exciting
expect fact family far feel find fine first follow forward free friend full fun general get give glad go good great
group guess guy hand happen happy hard head hear help high hold home hope hour house huge idea important include
interest issue item job keep kid kind know large last late lately later lead learn leave let life line list little
live long look lose lot love main make many matter maybe mean meet mind minute moment month morning move name need
new next nice night note now number old open order part pass past pay people person piece place plan play plus point
possible pretty probably problem provide put question reach read ready real reason recent recently remember result
right run say second see seem send set several share short show side simple simply small soon sort sound special
spend stand start state stay step stop story stuff super support sure system take talk tell thing think time today
tomorrow tonight top totally true try turn type understand use user usually value want watch way week well whole
wish wonder word work world worry write wrong year yesterday young
`;

/** Words of almost every longer text. */
const FREQUENT_WORDS = `
accept access according account achieve act action active activity advice afternoon age ahead air allow alone amaze
amount animal answer appear apply appreciate area arm arrive art article attempt attend attention available average
avoid aware baby bag ball bank bar basic beach beat beautiful bed behavior benefit black block blue board body book
born bottom box boy break bright brother brown brush buy build building business busy capital car card care career
carry catch cause celebrate center century challenge character charge child choice choose church city claim class
clean client close clothes club coach code coffee cold collect college color combine comfortable command comment
common community company compare complete computer concern condition connect contain content control conversation
cook copy correct cost count country course court cover create cross cry culture cup customer cut cute daily damage
dance danger dark data date daughter dead death decade decision deep default define degree depend describe design
detail develop development device die difference difficult dinner direct direction discover discuss discussion
disease distance doctor document dog door double draw dream dress drink drive drop dry early earn earth east eat
economy edge education effect effort eight email employee empty energy enter entire environment equal error
establish evening event evidence exist experience explain explore express extra eye face fail fair fall fan
fantastic fast father favorite fear feature field fight figure file fill film final finally finish fire fit five fix
floor fly focus food foot force foreign forget form format former four friendly front function future gain game
garden gather gift girl goal grab grateful green ground grow growth guide hair half handle hang hate health healthy
heart heat heavy hide hit hobby holiday horse hospital hot hotel human hundred hurt husband ice image imagine impact
improve increase incredible industry inform information inside inspire install interesting invite involve join
journey joy judge key kill kitchen knowledge lack lady land language laugh law lay leader leg lesson letter level
library lie light likely limit link listen local log lovely low luck lucky lunch machine major man manage manager
mark market marry match material meal measure media medical member memory mention message method middle mile
military million miss mission mix mode model modern money mother mountain mouth movie music national natural nature
nearly necessary neighbor network news normal north nose notice object obvious occur offer office officer official
oil older online opinion opportunity option organization original outside owner page pain paint painting pair paper
parent park particular particularly partner party passion patient pattern peace perfect perform performance period
personal pet phone photo physical pick picture plant player police policy political poor popular population position
positive power practice prefer prepare present president press prevent price print private process produce product
production program progress project property protect proud prove public pull purpose push quality quick quickly
quiet race radio rain raise range rate realize receive record recommend red reduce region relate relationship relax
release remain remind remove replace report represent request require research respect respond response rest return
rich ride ring rise risk river road rock role room rule safe sale save scene school science score sea search season
seat section security seek sell sense separate serious serve server service seven sex shape shoot shop shoulder sick
sign significant similar single sister sit site situation six size skill skin sky sleep slow smart smile social
society soft software solution solve son song source south space speak specific speech speed sport spot spring staff
stage standard star station status stick store strange street stress strong structure student study style subject
success successful sudden suffer suggest summer sun surprise sweet swim switch table target task tea teach teacher
team technology television tend term test text theory thought thousand three throw tie tiny title tool total touch
tough town track trade traditional train training travel treat treatment tree trip trouble trust truth two uncle
unique unit update upset vacation various version video view village visit voice volunteer vote wait walk wall war
warm wash water wear weather website weekend weight welcome west white wife wild win wind window winter woman wood
worker worth yellow zero ten nine third
`;

/** Given names, without those that are words or places too. Who it is about seldom tells a person's memories apart. */
const GIVEN_NAMES = `
james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony donald
steven stephen paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey jeffery ryan jacob
gary nicholas eric jonathan larry justin scott brandon benjamin samuel gregory alexander raymond patrick jack dennis
jerry tyler aaron jose adam henry nathan douglas zachary peter kyle walter ethan jeremy harold keith roger noah
gerald carl terry sean arthur lawrence jesse dylan bryan joe billy bruce albert willie gabriel logan alan juan wayne
roy ralph randy eugene vincent russell elijah louis bobby philip johnny evan liam lucas oliver leo oscar felix hugo
simon martin ian neil graham colin stuart derek craig luke connor owen caleb isaac blake mary patricia jennifer
linda elizabeth barbara susan jessica sarah sara karen lisa nancy betty margaret sandra ashley kimberly emily donna
michelle carol amanda dorothy melissa deborah stephanie rebecca sharon laura cynthia kathleen amy angela shirley
anna brenda pamela emma nicole helen samantha katherine catherine christine debra rachel carolyn caroline janet
maria heather diane ruth julie olivia joyce kelly lauren christina joan evelyn judith megan andrea cheryl hannah
jacqueline martha teresa ann anne annie frances kathryn janice abigail alice julia judy sophia denise doris marilyn
danielle isabella theresa diana natalie brittany marie kayla lori melanie tiffany vanessa claire clara lucy ella zoe
chloe mia ava molly audrey gina joanna naomi monica veronica erica erin tracy tina tanya wendy jill jane kate katie
kathy sally paula sofia elena nina eva nora irene ellen eleanor ben bob chris dan dave fred greg jeff jen jenny jess
jim jimmy joey jon josh ken liz maggie matt meg mel mike nate nick pete phil ron sam steve ted tim tom tommy tony
vince walt zach alex andy becky beth cathy cindy danny debbie ali ahmed mohamed mohammed muhammad omar hassan fatima
aisha priya raj ravi amit chen yuki kenji hiro carlos luis miguel jorge pedro pablo diego antonio francisco fernando
ana carmen lucia isabel pierre jacques hans klaus fritz ivan dmitri olga natasha sven lars giovanni marco luca
giulia
`;

/** A base form, then its irregular, clipped and variant forms. */
const FORMS = `
be am is are was were been|go went gone goes|come came|get got gotten|give gave given|take took taken|make made|
know knew known|think thought|see saw seen|find found|tell told|say said|feel felt|leave left|keep kept|
hold held|bring brought|buy bought|begin began begun|write wrote written|stand stood|hear heard|mean meant|
meet met|pay paid|sit sat|speak spoke spoken|lead led|grow grew grown|lose lost|fall fell fallen|send sent|
build built|understand understood|draw drew drawn|break broke broken|spend spent|rise rose risen|
drive drove driven|wear wore worn|choose chose chosen|eat ate eaten|run ran|swim swam swum|sing sang sung|
drink drank drunk|sleep slept|teach taught|catch caught|fight fought|seek sought|sell sold|win won|
fly flew flown|throw threw thrown|forget forgot forgotten|hide hid hidden|ride rode ridden|shake shook shaken|
steal stole stolen|wake woke woken|freeze froze frozen|become became|lend lent|bend bent|deal dealt|
dream dreamt|learn learnt|burn burnt|light lit|hang hung|dig dug|stick stuck|strike struck|
swear swore sworn|tear tore torn|beat beaten|bite bitten|blow blew blown|bleed bled|breed bred|feed fed|
flee fled|forgive forgave forgiven|prove proven|ring rang rung|sink sank sunk|shoot shot|show shown|
shrink shrank shrunk|slide slid|spin spun|spring sprang sprung|sweep swept|swing swung|weep wept|
withdraw withdrew withdrawn|weave wove woven|child children|man men|woman women|person people|foot feet|
tooth teeth|mouse mice|goose geese|life lives|wife wives|knife knives|wolf wolves|shelf shelves|half halves|
self selves|loaf loaves|thief thieves|good better best|bad worse worst|mother mom mum mommy|father dad daddy|
picture pic pics|television tv|information info|index indices|matrix matrices|criterion criteria|
analysis analyses|hypothesis hypotheses|
favorite favourite|gray grey|center centre|theater theatre|liter litre|meter metre|license licence|defense defence|catalog catalogue|
1 one|2 two|3 three|4 four|5 five|6 six|7 seven|8 eight|9 nine|10 ten|11 eleven|12 twelve
`;

const FUNCTION_WEIGHT = 0.1;
const EVERYDAY_WEIGHT = 0.5;
const FREQUENT_WEIGHT = 0.7;
const NAME_WEIGHT = 0.3;
const RARE_WEIGHT = 1;
const TWO_CHARACTERS_WEIGHT = 0.7;
const ONE_CHARACTER_WEIGHT = 0.4;

const ASCII_WORD = /^[a-z]+$/;
const ISE_ENDING = /^([a-z]{2,}[^aeiou])is(e|es|ed|er|ers|ing|ation|ations)$/;

/** A word as the model sees it, made once and shared. */
export interface LexiconEntry {
  /** The stem that forms of one word have in common. */
  readonly stem: string;
  /** Importance of the word for a text, from 0 to 1. */
  readonly weight: number;
  /** True for a function word. */
  readonly isFunctionWord: boolean;
}

const baseForms = readForms();
const stemWeights = new Map([
  ...words(FREQUENT_WORDS).map((word) => [stem(word), FREQUENT_WEIGHT] as const),
  ...words(EVERYDAY_WORDS).map((word) => [stem(word), EVERYDAY_WEIGHT] as const),
]);
const names = new Set(words(GIVEN_NAMES));
const functionWords = new Set([...words(FUNCTION_WORDS), ...words(FOREIGN_FUNCTION_WORDS)]);

/** Looks a word up that is already lower case and without accents. */
export function lookUp(word: string): LexiconEntry {
  const stemmed = stem(word);
  const isFunctionWord = functionWords.has(word);
  return { stem: stemmed, isFunctionWord, weight: isFunctionWord ? FUNCTION_WEIGHT : contentWeight(word, stemmed) };
}

function contentWeight(word: string, stemmed: string): number {
  const known = stemWeights.get(stemmed);
  if (known !== undefined) return known;
  if (names.has(word)) return NAME_WEIGHT;
  if (word.length === 1) return ONE_CHARACTER_WEIGHT;
  return word.length === 2 ? TWO_CHARACTERS_WEIGHT : RARE_WEIGHT;
}

/** British and American spellings of one word get one stem; that some stems are no words does not matter. */
function stem(word: string): string {
  const base = baseForms.get(word) ?? word;
  if (!ASCII_WORD.test(base)) return base;
  const stemmed = stemmer(base.replace(ISE_ENDING, '$1iz$2'));
  return stemmed.length > 4 ? stemmed.replace(/our$/, 'or') : stemmed;
}

function words(list: string): string[] {
  return list.trim().split(/\s+/);
}

function readForms(): Map<string, string> {
  const forms = new Map<string, string>();
  for (const line of FORMS.trim().split('|')) {
    const [base = '', ...others] = words(line);
    for (const other of others) forms.set(other, base);
  }
  return forms;
}
