import { expect, test } from 'vitest'
import { readerHandlers } from '../../../src/main/operations/reader/reader-handlers.ts'
import { openReader } from '../../../src/main/store/database/connection.ts'
import { createBudget } from '../../../src/main/store/read/budget.ts'
import { createReader } from '../../../src/main/store/read/reader.ts'
import { recallSearch } from '../../../src/shared/contract/recall.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'

const ESC = '\u001b'

/** A text, and the queries that find it and mark a word in it. */
const CASES: readonly (readonly [text: string, ...queries: string[]])[] = [
  // Words of two scripts against each other.
  ['用redis做缓存', 'redis', '缓存', '用redis做缓存', '"redis做缓存"'],
  ['メモはdockerで動く', 'docker', '動く', 'dockerで'],
  ['우리는postgres를쓴다', 'postgres', '쓴다'],
  ['ใช้kubectlเพื่อ', 'kubectl'],
  ['поднялnginxвчера', 'nginx', 'вчера', 'поднял'],
  ['تشغيلgradleالآن', 'gradle', 'تشغيل'],
  ['λfunctor', 'functor'],
  ['Ошибка2024в webpack4и', 'webpack4', 'Ошибка2024'],
  ['版本2031发布', '2031', '发布'],
  ['在TurnCheckpointIDs里', 'checkpoint', 'TurnCheckpointIDs'],
  // The same word in another spelling: marks, stretched letters, widths, invisible characters.
  ['فشل الاختبـار في المُجلَّد', 'المجلد', 'الاختبار', 'المُجلَّد'],
  ['הַשַּׁרְת נפל', 'השרת', 'הַשַּׁרְת'],
  ['ο λόγος της ΑΠΟΤΥΧΙΑΣ', 'λογος', 'λόγος', 'αποτυχίας'],
  ['ёлочный майнинг', 'елочный', 'ЁЛОЧНЫЙ', 'майнинг'],
  ['re\u0301sume\u0301parser', 'r\u00e9sum\u00e9parser', 'resumeparser'],
  ['the data\u00adlagoon and the time\u200bkeeper', 'datalagoon', 'timekeeper', 'time\u200bkeeper'],
  ['ＡＰＩＫＥＹ２を設定', 'apikey2', 'ＡＰＩＫＥＹ２', '設定'],
  ['ﾃﾞｰﾀﾍﾞｰｽが失敗', 'データベース', 'ﾃﾞｰﾀﾍﾞｰｽ'],
  ['우편번호'.normalize('NFD'), '우편번호'],
  ['체크섬 오류', '체크섬'.normalize('NFD')],
  ['المنفذ ٨٠٩١ مشغول', '8091', '٨٠٩١'],
  ['درگاه ۹۰۸۷ اشغال', '9087'],
  ['पोर्ट ७०६५ व्यस्त', '7065', 'व्यस्त'],
  ['کتابخانه نصب شد', 'كتابخانه', 'کتابخانه'],
  ['błąd w Łodzi na łączu', 'blad', 'lodzi', 'łączu'],
  ['đường hầm và smørrebrød', 'duong ham', 'smorrebrod', 'đường'],
  ['the ﬁreplace of an oﬀset', 'fireplace', 'offset'],
  // Other spellings of letters and numbers.
  ['die Goldstraße entlang', 'goldstrasse', 'goldstraße', 'GOLDSTRASSE'],
  ['die Silbergasse entlang', 'silbergaße', 'silbergasse'],
  ['a mole of H₂SO₄ is heavy', 'h2so4', 'H₂SO₄'],
  ['CO2 and C6H12 are lighter', 'C₆H₁₂', 'c6h12'],
  ['an area of 77km²', '77km2', '77km²'],
  ['it took 1,734,567 ns', '1734567', '1,734,567', '1.734.567'],
  ['it took 1834567 ns', '1834567', '1,834,567'],
  ['it took 1 934 567 ns', '1934567', '1,934,567'],
  ['it took 2.034.567 ns', '2034567', '2,034,567'],
  ['die Übergrößen der Türklinken', 'uebergroessen', 'übergrößen', 'tuerklinken', 'ubergroßen'],
  ['die Haeuserbloecke', 'häuserblöcke', 'Häuserblöcke', 'haeuserbloecke'],
  // Signs that make other words of the same letters, and joiners within words.
  ['यह कर्मचारी काम करता है', 'कर्मचारी', 'काम', 'कर्मचारी काम', '"कर्मचारी काम"'],
  ['தமிழ் மொழி', 'தமிழ்', 'மொழி'],
  ['বাংলা ভাষা', 'বাংলা'],
  ['នេះជាភាសាខ្មែរ', 'ភាសាខ្មែរ', 'ខ្មែរ'],
  ['ที่นี่มีน้ำ', 'ที่นี่', 'น้ำ'],
  ['من می\u200cخواهم', 'می\u200cخواهم', 'می خواهم'],
  ['क\u094d\u200dषेत्र', 'क\u094dषेत्र'],
  // A commit is found by its beginning.
  ['undone by 4b1fe02ad7c913e5f6071829304a5b6c7d8e9f01', '4b1fe02', '4b1fe0', '4B1FE02AD7'],
  ['undone by 9e81c3a', '9e81c3a', '9e81c3'],
  // And by what git, or a person, shortened it to.
  ['undone by 5d7f30b', '5d7f30b8841c2f6e7a9d0c3b5e1f4a6d8c7b9e02', '5d7f30b884'],
  // Words written apart and as one, and versions with their letter.
  ["the wyvern's O'Malley shouldn't", 'omalley', 'shouldnt', 'wyverns'],
  ['Vexnode.js and the X.Y.Q.', 'vexnodejs', 'xyq'],
  ['node v61.4.0 has it', '61.4.0', 'v61.4.0'],
  ['yarn 62.4.0 has it', 'v62.4.0', '62.4.0'],
  ['paid $7,431.85 for it', '7431.85', '$7,431.85'],
  ['it ended at 2031-05-17T09:12:44Z', '2031-05-17', '"2031-05-17"'],
  // Escapes of JSON and code before a word and in it.
  [String.raw`{"msg":"line\nmagpie\tstork","dir":"C:\new\raven"}`, 'magpie', 'stork', 'raven'],
  [String.raw`/\bsparrow\b/ and "caf\u00e9s d'\u00e9t\u00e9"`, 'sparrow', 'cafés', 'été'],
  [String.raw`{"t":"\u6df1\u5ea6\u5b66\u4e60"}`, '深度', '学习', '深度学习'],
  // Letters and articles of Arabic.
  ['انتهاء المهلة في القواعد', 'المهله', 'قواعد', 'مهلة'],
  // Escape sequences of a terminal.
  [`${ESC}[31mvermilion${ESC}[0m failed`, 'vermilion', '"vermilion failed"', `${ESC}[31mvermilion${ESC}[0m`],
  [`a ${ESC}[1;38;5;208mtangerine`, 'tangerine'],
  [`${ESC}[2Kmarigold${ESC}[1A${ESC}(Bcrocus${ESC}[m`, 'marigold', 'crocus'],
  [`${ESC}[38:2::1:2:3mperiwinkle`, 'periwinkle'],
  [`${ESC}]8;;https://thistle.example${ESC}\\bluebell${ESC}]8;;${ESC}\\`, 'thistle', 'bluebell'],
  // The same, spelled out or without its first character.
  [String.raw`{"out":"\u001b[33mhyacinth\u001b[39m"}`, 'hyacinth'],
  [String.raw`printf '\033[1mgentian\e[0m' \x1b[7mlupine`, 'gentian', 'lupine'],
  ['^[[32mfoxglove^[[0m', 'foxglove'],
  ['[32mlavender[39m passed', 'lavender', '"lavender passed"'],
  ['took [310ms] in [5min]', '310ms', '5min'],
]

test('finds words beside other scripts and after escape sequences, and marks them', () => {
  using folder = makeTempFolder()
  const drafts = CASES.map(([text], at) =>
    draftOf(
      'user_prompt',
      { text },
      {
        at: new Date(Date.UTC(2026, 2, 1, 8, 0, at)).toISOString(),
        session_id: `s${at}`,
        uuid: `d${at}`,
        keys: [`${at}`],
      },
    ),
  )
  const db = openReader(fillStore(folder.path, drafts))
  const lost = lostOf(db, CASES, {})
  db.close()
  expect(lost).toEqual([])
})

test.each([
  ['काम', ['काम करो'], ['कम बोलो', 'कामयाब']],
  ['दिन', ['एक दिन'], ['दीन', 'द न']],
  ['น้ำ', ['มีน้ำ'], ['นำ', 'นะ']],
  ['میخواهم', ['می\u200cخواهم'], ['می', 'خواهم']],
  ['uebergroessen', ['Übergrößen'], ['Übergabe', 'größer']],
])('%s is another word than those that share its letters', (query, found, others) => {
  using folder = makeTempFolder()
  const drafts = [...found, ...others].map((text, at) =>
    draftOf(
      'user_prompt',
      { text },
      { at: `2026-03-01T08:00:0${at}.000Z`, session_id: `s${at}`, uuid: `d${at}`, keys: [`${at}`] },
    ),
  )
  const db = openReader(fillStore(folder.path, drafts))
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  budget.begin(1, 20_000)
  const { items } = readerHandlers['recall.search'](createReader(db, budget), recallSearch.input.parse({ query }))
  db.close()
  expect(items.map(({ uuid }) => uuid).toSorted()).toEqual(found.map((_, at) => `d${at}`))
})

/** The index of tool traffic has the words as written: no pairs of CJK characters, parts, joined words, or escapes. */
const NOT_OF_TOOLS = ['checkpoint', 'omalley', 'shouldnt', 'vexnodejs', 'xyq', 'magpie', 'stork', 'sparrow']
const OF_TOOLS = CASES.map(
  ([text, ...queries]) => [text, ...queries.filter((query) => /^[\w ]+$/.test(query))] as const,
)

test('finds them in tool traffic', () => {
  using folder = makeTempFolder()
  const drafts = OF_TOOLS.map(([text], at) =>
    draftOf(
      'tool_result',
      { call_id: `c${at}`, tool_name: 'Bash', output: { stdout: text }, is_error: false, rejected: false },
      {
        at: new Date(Date.UTC(2026, 2, 1, 8, 0, at)).toISOString(),
        session_id: `s${at}`,
        uuid: `d${at}`,
        keys: [`${at}`],
      },
    ),
  )
  const db = openReader(fillStore(folder.path, drafts))
  const lost = lostOf(db, OF_TOOLS, { tools: true })
  db.close()
  expect(lost).toEqual(NOT_OF_TOOLS)
})

/** Returns the queries that do not find and mark their text first. */
function lostOf(
  db: ReturnType<typeof openReader>,
  cases: readonly (readonly [text: string, ...queries: string[]])[],
  more: object,
): string[] {
  const budget = createBudget(new Int32Array(new SharedArrayBuffer(4)))
  const reader = createReader(db, budget)
  return cases.flatMap(([, ...queries], at) =>
    queries.filter((query) => {
      budget.begin(1, 20_000)
      const { items } = readerHandlers['recall.search'](reader, recallSearch.input.parse({ query, ...more }))
      return items[0]?.uuid !== `d${at}` || !items[0].content.includes('<mark>')
    }),
  )
}
