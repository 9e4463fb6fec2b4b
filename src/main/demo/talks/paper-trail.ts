import { talk, type Talk } from './talk.ts'

/** Talks about an editor for long documents. */
export const PAPER_TRAIL: readonly Talk[] = [
  talk(
    'src/sync/upload-queue.ts',
    'retryUpload',
    [
      'Uploads that fail on hotel Wi-Fi are tried again at once, hundreds of times. Find out why and stop it.',
      'retryUpload schedules the next attempt with setTimeout(…, delay), and delay comes from options.retry, which is undefined when the settings file is older than 0.8. setTimeout with undefined means zero. So every old installation hammers the server.',
      'The delay is `undefined` for settings written before 0.8, and `setTimeout(fn, undefined)` fires at once.\n\n**Fix:** attempts wait 1, 2, 4 … up to 60 seconds, with up to 20% jitter, and stop after ten. The queue says so in the status bar instead of failing silently.',
    ],
    [
      'Why exponential with jitter and not a fixed 5 seconds?',
      'A fixed interval keeps all clients in step after an outage: they failed together and would come back together.',
      'After an outage all clients would come back in the same second, every five seconds. Doubling spreads the load, and jitter breaks the step. We agreed on a ceiling of **60 seconds** so that nobody waits minutes after opening the lid.',
    ],
  ),
  talk(
    'src/theme/palette.ts',
    'contrastOf',
    [
      'I want a Solarized theme, but the grey on cream is hard to read. What would you change?',
      'Solarized base00 on base3 has a contrast of about 4.1. Body text should have 4.5. base01 is darker: 5.6. Keep accents for icons, not for text.',
      'Keep the backgrounds, and make body text one step darker: `base01` instead of `base00` gives **5.6 : 1**. Yellow and cyan fail for text at any size, so they stay with icons and underlines. I added a test that computes the contrast of every pair we use.',
    ],
    [
      'Which theme should be the default then?',
      'A default should follow the system. Solarized is a taste.',
      'Follow the system: light or dark by `prefers-color-scheme`. Solarized stays a choice in the settings, because a tinted page is a taste, and screenshots in the docs would all look wrong.',
    ],
  ),
  talk(
    'src/export/footnotes.ts',
    'numberFootnotes',
    [
      'In the exported PDF, footnote 12 appears twice and 13 is missing. The editor shows them correctly.',
      'The exporter numbers footnotes while it walks pages, and a footnote whose text breaks across two pages is visited on both. The editor numbers by position in the document.',
      'The exporter counted a footnote once per page it touches. A long footnote that continues on the next page took two numbers. `numberFootnotes` now numbers by position in the document before the pages are laid out, as the editor does.',
    ],
    [
      'Does that also fix the table of contents?',
      'Headings are not split across pages, so no. But the page numbers come from the same walk.',
      'The table of contents was right: a heading never breaks across pages. I added a test with a heading at the very end of a page all the same.',
    ],
  ),
  talk(
    'src/editor/selection.ts',
    'restoreSelection',
    [
      'After undo the cursor jumps to the top of the document. It should stay where the change was.',
      'Undo replaces the whole node tree, so the stored selection points at nodes that are gone. Offsets in the text survive that; node references do not.',
      'The selection was kept as references to nodes, and undo replaces the nodes. It is now kept as **offsets in the text** and mapped through the change. Undo of a deletion selects what came back.',
    ],
    [
      'And with two people in the same paragraph?',
      'With remote changes the offsets shift. Mapping through their changes as well is the same function.',
      'The same mapping runs for changes of others, so your cursor stays with its word when somebody types before it. Two cursors at the same offset keep their order: the local one stays on the right.',
    ],
  ),
  talk(
    'src/editor/paste.ts',
    'cleanPasted',
    [
      'Text pasted from Word brings its fonts along. Strip them, but keep bold, italics and lists.',
      'Word puts styles into span elements and mso- classes. A list is a paragraph with a style "MsoListParagraph" and a bullet character in the text. An allowlist is safer than removing what we know.',
      '`cleanPasted` keeps an allowlist: paragraphs, headings, lists, links, bold, italics, code. Everything else becomes plain text. Word’s lists are paragraphs with a bullet typed in front, and are turned into real lists.',
    ],
    [
      'Why did we not use the sanitizer library?',
      'The library removes what is dangerous. What we want is to remove what is ugly. And it is 45 KB.',
      'It answers another question: it removes what is dangerous, and Word’s fonts are not. We still run the same allowlist on imported files, so nothing unknown reaches the page.',
    ],
  ),
  talk(
    'src/export/print-preview.tsx',
    'layOutPages',
    [
      'The print preview takes eleven seconds for a book of 400 pages. Where does the time go?',
      'The profile says 9.8 of 11 seconds are getBoundingClientRect. It is called for every paragraph after every insertion, so each call lays out the whole page again.',
      'Nearly all of it is **forced layout**: the page is measured after each paragraph that is placed. Measuring all paragraphs once and then placing them takes 0.7 seconds for the same book.',
    ],
    [
      'Is a web worker worth it?',
      'Measuring text needs the DOM. Only the placing could move, and that is 40 ms.',
      'No. Measuring needs the page, and placing takes 40 ms. A worker would add a copy of the document and save nothing anybody could feel.',
    ],
  ),
  talk(
    'src/sync/conflict.ts',
    'mergeDrafts',
    [
      'Two devices edited the same draft offline. We keep the newer one and lose the other. I would like to keep both.',
      'Last write wins loses text. A three-way merge by paragraph keeps almost everything; only a paragraph that changed on both sides is a conflict.',
      'Now a three-way merge by paragraph: what only one side changed is taken. A paragraph that both changed appears twice, marked with the device’s name. Nothing is lost, and in our test documents 96% merge without a mark.',
    ],
    [
      'Why not CRDTs?',
      'A CRDT would need its history stored for ever and a new file format. The merge works on what we have.',
      'They need a new file format and the history of every letter. For a single author with two devices, a merge by paragraph does the job on the files we have. Decided: **no CRDT** until several people write at once.',
    ],
  ),
  talk(
    'src/editor/spellcheck.ts',
    'checkWords',
    [
      'Spell check marks every German compound as wrong. What can we do without a bigger dictionary?',
      'Compounds can be split: accept a word if it is a sequence of known nouns with an optional s, n, en or es between them, each part at least three letters.',
      'Split before judging: a word is right if it is made of known nouns with a linking *s*, *n*, *en* or *es*. Parts of fewer than three letters are refused, otherwise "Torte" would be "Tor" and "te". False alarms fall from 41 to 3 in 1,000 words.',
    ],
    [
      'How slow is that?',
      'Most words are in the dictionary and never split. The rest are memoized.',
      'Not measurable: 97% of the words are found whole, and each other word is split once and remembered. A page takes 2 ms.',
    ],
  ),
]
