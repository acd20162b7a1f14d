/** Words of English that a query is not searched for while it has others: they tell nothing about what it asks for. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the and or but if of at by for with about to from in on as into is are was were be been being am do does did ' +
    'have has had i you he she it we they me him her us them my your his its our their this that these those who whom ' +
    'whose which what when where why how so than then there here can could will would should shall might must ' +
    // Parts of contractions.
    's t re ve ll d m'
  ).split(' '),
);
