/** Words too common to say what a question or a text is about. The only such list in the app. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also am an and any are aren as at be because been before being both but by can could couldn did didn do does ' +
    'doesn doing don during each ever few for from further get gets getting give go going got had has have having he her here hers him his ' +
    'how i if in into is isn it its itself just let ll m may me might more most much my no nor not now of off on once only or other our ours ' +
    'out over own please re s same she should so some such t tell than that the their them then there these they this those through to too ' +
    'under until up us ve very was wasn we were what when where which while who whom why will with would you your yours'
  ).split(' '),
)

/** Checks a folded word. */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)
