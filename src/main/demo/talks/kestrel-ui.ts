import { talk, type Talk } from './talk.ts'

/** Talks about a library of user interface components. */
export const KESTREL_UI: readonly Talk[] = [
  talk(
    'src/components/dialog.tsx',
    'trapFocus',
    [
      'Tab leaves the dialog when the last field is disabled. Fix the focus trap.',
      'The trap finds the last focusable element by a selector that includes disabled fields. Native dialog with showModal does this right without our code.',
      'Our trap asked for the last `input`, and a disabled one cannot take focus. I replaced the trap by the browser’s own `<dialog>` with `showModal()`: inert background, Escape and focus return come with it, and 140 lines are gone.',
    ],
    [
      'Does that work in Safari?',
      'dialog is supported since 15.4; our browserslist says 16.',
      'Yes, since Safari 15.4; we support 16 and later. Checked with VoiceOver: the title is read when it opens, and focus goes back to the button.',
    ],
  ),
  talk(
    'src/components/combobox.tsx',
    'filterOptions',
    [
      'The combobox drops keystrokes with 20,000 options. Make typing smooth.',
      'It renders all matches on every letter: 20,000 nodes. Virtualize and defer the filtering with useDeferredValue.',
      'All 20,000 options were rendered for each letter. The list is virtual now, about twenty rows at a time, and filtering is deferred while you type. The longest task fell from **640 ms to 9 ms**.',
    ],
    [
      'How do screen readers know how many options there are?',
      'aria-setsize and aria-posinset on each option; a live region for the count.',
      'Each row says its place with `aria-posinset` and `aria-setsize`, and a polite live region tells the number of matches half a second after the last letter.',
    ],
  ),
  talk(
    'src/tokens/contrast.ts',
    'assertContrast',
    [
      'Make the build fail when a pair of color tokens has too little contrast.',
      'WCAG 2 ratio for text pairs: 4.5, large 3. Need a list of pairs that are actually used: from the component tokens.',
      'A test reads the component tokens, which name text and background together, and computes the ratio for all themes: 4.5 for text, 3 for icons and borders. It found **seven** pairs that fail; five are placeholders.',
    ],
    [
      'Are placeholders text?',
      'WCAG: yes, they convey information.',
      'Yes: they tell what to type. I darkened them by one step, which passes in all four themes.',
    ],
  ),
  talk(
    'src/hooks/use-hotkeys.ts',
    'useHotkeys',
    [
      'Our shortcuts fire while people type in a field. And on a French keyboard "/" never works.',
      'Ignore events from editable elements; compare event.key, not event.code, since / is Shift+: on AZERTY.',
      'Shortcuts are ignored in fields now, except Escape and those with Ctrl or ⌘. They compare `event.key`, the **character**, not the position of the key: on a French keyboard “/” needs Shift, and that is allowed.',
    ],
    [
      'What about g then l, one after the other?',
      'A sequence with a timeout of one second.',
      'Sequences work: one second between the two keys, and any other key starts again.',
    ],
  ),
  talk(
    'src/components/tooltip.tsx',
    'placeTooltip',
    [
      'Tooltips flicker at the right edge of the window. I think they measure themselves into a loop.',
      'The tooltip overflows, a scrollbar appears, the width changes, the tooltip flips, the scrollbar goes. position: fixed with clamping avoids the scrollbar.',
      'A loop indeed: the tooltip overflows, a scrollbar appears, everything moves, the tooltip flips, the scrollbar goes. It is `position: fixed` now and is **clamped** into the window, so it can never cause a scrollbar.',
    ],
    [
      'Could CSS do all of that?',
      'Anchor positioning: supported in Chromium and Safari 26, not in Firefox yet.',
      'With anchor positioning, yes; Firefox does not have it yet. I left a note where the code can go.',
    ],
  ),
  talk(
    'src/components/command-palette.tsx',
    'rankCommands',
    [
      'The command palette finds "Settings" for "setting" but nothing for "stg". Add fuzzy matching.',
      'Subsequence match with bonus for word starts and consecutive letters; penalty for gaps. Recent commands first when the query is empty.',
      'Letters in order are enough now; word beginnings and letters in a row count more. `stg` finds *Settings* and then *Storage*. With nothing typed, the five commands used last come first.',
    ],
    [
      'Why our own ranking and not a library?',
      'cmdk has its own command-score; it is what we use for the rest.',
      'It is not ours: it is the ranking of the library that the palette is built on, which we had switched off. I removed our filter.',
    ],
  ),
  talk(
    'src/components/chart-legend.tsx',
    'colorOf',
    [
      'When I filter the chart, the series change their colors. Please make a color belong to a name.',
      'Colors are assigned by index in the visible list. Assign by a stable hash or an explicit map by name.',
      'A color came from the place in the visible list. It now belongs to the **name**: known names have a fixed color, others get the next free one and keep it for the page. Filtering changes nothing.',
    ],
    [
      'And more than eight series?',
      'Beyond eight people cannot tell colors apart: group the rest as Other.',
      'Beyond eight nobody can tell them apart. The smallest are summed as “Other”, in grey, and the table below the chart lists all.',
    ],
  ),
  talk(
    'e2e/focus.spec.ts',
    'openMenu',
    [
      'e2e/focus.spec.ts is flaky in CI, about one run in ten. I do not want a retry, I want the cause.',
      'Trace of a failed run: click happens while the menu’s opening animation moves the item. Playwright waits for stable, but the animation starts a frame later. Reduced motion in tests.',
      'The menu begins its animation **one frame after** it becomes visible, so Playwright sees a stable item, clicks, and the item has moved. Tests run with reduced motion now. 200 runs, no failure.',
    ],
    [
      'Do real users click beside it, too?',
      'For 120 ms after opening, yes.',
      'Yes, in the first 120 ms. The menu ignores clicks until the animation has ended its movement; only its opacity goes on.',
    ],
  ),
]
