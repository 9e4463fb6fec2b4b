import type { DemoStory } from './stories.ts'

/** Conversations that decide something: what was chosen, and why. */
export const STORIES_OF_DECISIONS: readonly DemoStory[] = [
  {
    folder: '/home/dev/paper-trail',
    branch: 'feat/solarized-theme',
    turns: [
      {
        prompt: 'People ask for a dark theme in the editor. Which palette should we take, solarized or gruvbox?',
        calls: [
          {
            thinking:
              'The editor shows long prose, often at night. Contrast matters more than taste here. Let me see which colors the editor already uses before I compare palettes.',
            tool: 'Grep',
            input: { pattern: '#[0-9a-f]{6}', path: 'src/theme', output_mode: 'content' },
            output:
              "src/theme/light-palette.ts:3:  background: '#fdf6e3',\nsrc/theme/light-palette.ts:4:  text: '#586e75',\nsrc/theme/light-palette.ts:5:  link: '#268bd2',",
          },
        ],
        thinking:
          'The light palette is solarized light already, only nobody named it. Solarized dark shares its accent colors, so links and marks keep their meaning when somebody switches. Gruvbox would need a second set of accents.',
        answer:
          'I would take **solarized**. The light theme already uses its colors (`#fdf6e3`, `#586e75`), and solarized dark shares the same eight accents, so a yellow mark means the same in both. Gruvbox looks warmer, but needs its own accents and a second pass over the syntax colors.\n\nOne caveat: the body text of solarized dark has a contrast of 4.1:1. I would lighten it to `#93a1a1`, which gives 5.6:1.',
      },
      {
        prompt:
          'Agreed, solarized with the lighter text. Where do we store the choice, and should it follow the system?',
        calls: [
          {
            tool: 'Read',
            input: { file_path: '/home/dev/paper-trail/src/theme/theme-store.ts' },
            output:
              "     1\texport type Theme = 'light'\n     2\texport function readTheme(): Theme {\n     3\t  return 'light'\n     4\t}",
          },
          {
            says: 'Nothing is stored yet. I add the setting with three values.',
            tool: 'Edit',
            input: {
              file_path: '/home/dev/paper-trail/src/theme/theme-store.ts',
              old_string: "export type Theme = 'light'",
              new_string: "export type Theme = 'light' | 'dark' | 'system'",
            },
            output: 'The file /home/dev/paper-trail/src/theme/theme-store.ts has been updated.',
          },
        ],
        thinking:
          'A cookie would be sent with every request for nothing. localStorage is read before the first paint, so the page does not flash white.',
        answer:
          'The theme is `light`, `dark` or `system`, and `system` is the default. It is stored in `localStorage`, not in the profile: the page reads it before the first paint, so there is no white flash on load. Two devices can differ, which is what people expect of a theme.',
      },
    ],
  },
  {
    folder: '/home/dev/orchard-api',
    branch: 'feat/invoices',
    turns: [
      {
        prompt: 'How should we store amounts of money in the invoices table? I see float64 in the draft.',
        calls: [
          {
            thinking: 'Floats cannot hold 0.10. The question is between integer cents and a decimal column.',
            tool: 'Grep',
            input: { pattern: 'float64', path: 'internal/billing', output_mode: 'content' },
            output:
              'internal/billing/invoice_draft.go:14:\tTotal float64\ninternal/billing/invoice_draft.go:15:\tTax   float64',
          },
        ],
        thinking:
          'Japanese yen has no minor unit and Kuwaiti dinar has three digits. "Cents" is therefore the wrong word: minor units together with the currency code.',
        answer:
          'As **integers in minor units** with the currency next to them: `amount_minor BIGINT NOT NULL, currency CHAR(3) NOT NULL`. Floats lose cents as soon as you add them up: 0.1 + 0.2 is not 0.3.\n\nI would not use `NUMERIC`: Go has no decimal type in its standard library, and every sum would need a package. Minor units work for yen (no digits) and dinar (three) as well.',
      },
      {
        prompt: 'And rounding of the tax? Finance says their totals differ from ours by a cent.',
        calls: [
          {
            tool: 'Bash',
            input: { command: 'go test ./internal/billing -run TestTaxRounding', description: 'Run the tax test' },
            output: '--- FAIL: TestTaxRounding\n    tax_test.go:31: got 1003, want 1002\nFAIL',
            fails: true,
          },
        ],
        thinking:
          'We round each line and then add; finance adds and then rounds once. Both are legal, but the invoice must say which. Their system is the book of record.',
        answer:
          'We round the tax of **each line**, finance rounds the **sum** once. With three lines of 3.34 that is a cent apart. Since their ledger is the record, I changed `invoiceTax` to round once per tax rate, half to even, and added their three examples as a test. All pass.',
      },
    ],
  },
  {
    folder: '/home/dev/ferry',
    branch: 'perf/zero-copy',
    turns: [
      {
        prompt: 'Should the broker use tokio or a thread per connection? We expect about 2,000 subscribers.',
        calls: [
          {
            thinking:
              '2,000 threads with 8 MB of reserved stack are 16 GB of address space, but little real memory. The real cost is wake-ups: each message to 2,000 subscribers wakes 2,000 threads.',
            tool: 'Bash',
            input: { command: 'cargo bench -p broker fan_out', description: 'Measure the fan-out' },
            output: 'fan_out/threads  time: [41.2 ms 41.9 ms 42.8 ms]\nfan_out/tokio    time: [6.3 ms 6.4 ms 6.6 ms]',
          },
        ],
        thinking: 'The benchmark decides it: 42 ms against 6.4 ms for one message to 2,000 subscribers.',
        answer:
          '**tokio.** One message to 2,000 subscribers takes 6.4 ms with tasks and 42 ms with threads, because every thread must be woken. The price is that nothing in a task may block: compaction of segments moves to `spawn_blocking`.',
      },
      {
        prompt: 'What happens to a subscriber that reads too slowly?',
        calls: [],
        thinking:
          'An unbounded queue ends with the machine out of memory. Blocking the publisher lets one slow reader stop everybody. The third way is to drop the reader and let it resume from its offset.',
        answer:
          'Its queue is bounded to 1,024 frames. When it is full, the broker closes the connection with `SlowConsumer` and the last acknowledged offset; the client reconnects and resumes from there. I decided against blocking the publisher: one slow reader would hold up all others.',
      },
    ],
  },
  {
    folder: '/home/dev/kestrel-ui',
    branch: 'fix/focus-trap',
    turns: [
      {
        prompt: 'Should the dialog use the native <dialog> element or stay with our portal and focus trap?',
        calls: [
          {
            tool: 'Bash',
            input: {
              command: 'wc -l src/components/dialog.tsx src/hooks/use-focus-trap.ts',
              description: 'Count lines',
            },
            output: '  148 src/components/dialog.tsx\n  213 src/hooks/use-focus-trap.ts\n  361 total',
          },
        ],
        thinking:
          'showModal gives the top layer, inertness of the rest and Escape for free. What it lacks is an exit animation in older Safari.',
        answer:
          'The native `<dialog>` with `showModal()`. The browser makes the rest of the page inert, handles Escape and puts the dialog on the top layer, so the focus trap (213 lines) and the portal can go. Only the exit animation needs `@starting-style`, which Safari has since 17.5; older versions close without it.',
      },
    ],
  },
]
