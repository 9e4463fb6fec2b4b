import { stem } from './stem.ts'

/** Everyday English, for conversations that are not about code. */
const EVERYDAY: readonly string[] = [
  'begin start commence launch',
  'finish end complete conclude',
  'buy purchase',
  'job work career profession occupation employment',
  'boss manager supervisor employer',
  'colleague coworker teammate',
  'quit resign leave',
  'hire employ recruit',
  'salary pay wage income',
  'money cash fund finance savings',
  'cheap affordable inexpensive',
  'expensive costly',
  'cost price fee',
  'car vehicle auto automobile',
  'bike bicycle cycling cycle',
  'plane flight fly airplane airport',
  'trip travel journey vacation holiday tour visit',
  'house home apartment flat residence',
  'move relocate',
  'live reside',
  'room bedroom',
  'repair fix mend renovate restore',
  'build construct',
  'doctor physician medical clinic hospital',
  'sick ill illness disease sickness condition',
  'injury hurt injured wound',
  'pain ache',
  'health healthy wellness fitness',
  'exercise workout training train gym',
  'run jog running jogging',
  'race marathon',
  'hike hiking trek trail',
  'sport game match',
  'competition contest tournament championship',
  'win victory winner champion',
  'prize award trophy medal',
  'movie film cinema',
  'show performance play perform',
  'music song band concert',
  'instrument guitar piano violin',
  'art painting drawing artwork',
  'paint draw sketch',
  'picture photo image photograph',
  'book novel story read',
  'write author writer',
  'letter mail',
  'talk speak chat conversation discuss discussion',
  'speech presentation lecture',
  'phone call ring',
  'meal food dinner lunch breakfast dish',
  'cook cooking bake recipe',
  'drink beverage',
  'class course lesson workshop',
  'school college university',
  'student pupil',
  'teacher instructor professor',
  'study learn',
  'exam test',
  'kid child son daughter',
  'baby newborn infant',
  'pregnant pregnancy expecting',
  'parent mother father',
  'husband wife spouse partner',
  'marry married wedding marriage engaged',
  'divorce breakup separated',
  'friend buddy pal',
  'family relative',
  'dog puppy pup',
  'cat kitten',
  'pet animal',
  'flower plant garden',
  'forest woods',
  'ocean sea beach',
  'happy glad delighted joy',
  'sad unhappy upset',
  'angry mad furious',
  'afraid scared fear nervous anxious worried',
  'excited thrilled',
  'proud pride',
  'tired exhausted',
  'difficult hard challenging tough',
  'problem trouble difficulty',
  'help assist support aid',
  'volunteer charity donate',
  'gift present',
  'party celebration celebrate birthday',
  'event occasion',
  'shop store',
  'business company startup',
  'open opening',
  'large big huge',
  'small little tiny',
  'beautiful gorgeous lovely stunning',
  'reason motive motivation motivate inspire inspiration',
  'goal aim dream ambition',
  'plan intend intention',
  'hobby activity interest pastime',
  'enjoy like love favorite',
  'advice advise suggest suggestion recommend recommendation',
  'idea thought opinion',
  'receive get obtain',
  'collect gather',
  'lose missing lost',
  'discover find',
  'accident crash',
  'religion faith church',
  'country nation abroad homeland',
  'town city village',
  'clothes clothing outfit',
  'police officer cop',
  'steal stolen theft robbery burglary',
]

function tableOf(groups: readonly string[]): Map<string, string[]> {
  const table = new Map<string, string[]>()
  for (const group of groups) {
    const words = group.split(' ')
    for (const word of words) {
      const others = words.filter((other) => other !== word)
      const stemmed = stem(word)
      table.set(stemmed, [...(table.get(stemmed) ?? []), ...others])
    }
  }
  return table
}

/** Built on the first search, so that starting the thread does not wait for it. */
let everyday: Map<string, string[]> | null = null

/** Returns everyday words with a similar meaning. A hint, worth less than the word itself. */
export function relatedTo(word: string): readonly string[] {
  everyday ??= tableOf(EVERYDAY)
  return everyday.get(stem(word)) ?? []
}
