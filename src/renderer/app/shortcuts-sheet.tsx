import { X } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { MOD_LABEL } from '../lib/hotkeys.ts'
import { VIEWS } from './views.ts'

const SECTIONS: readonly { readonly name: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    name: 'Everywhere',
    keys: [
      [`${MOD_LABEL} K`, 'Open the command palette'],
      ['/', 'Focus the search field'],
      ['Esc', 'Leave the field or close the dialog'],
      ['?', 'Show keyboard shortcuts'],
    ],
  },
  { name: 'Go to', keys: VIEWS.map((view) => [`g ${view.key}`, view.name] as const) },
  {
    name: 'Lists',
    keys: [
      ['j  k', 'Next, previous'],
      ['Enter', 'Open'],
    ],
  },
  {
    name: 'Recall',
    keys: [
      ['Space', 'Add the hit to the pack, or remove it'],
      ['m', 'Remember the hit, so that it ranks first'],
      ['c', 'Copy the hit, or the pack'],
    ],
  },
  {
    name: 'Live',
    keys: [
      ['p', 'Pause or resume the stream'],
      ['c', 'Copy what a compaction lost'],
      ['i', 'Give it to Claude in that session'],
      ['Esc', 'Show all sessions'],
    ],
  },
  {
    name: 'Session',
    keys: [
      ['j  k', 'Next, previous prompt'],
      ['1 … 6', 'Transcript, Timeline, Trace, Requests, Usage, Files changed'],
      ['e  Shift+E', 'Next, previous error: API or tool'],
      [`/  ${MOD_LABEL}+F`, 'Find in this session'],
      ['g g  Home', 'Go to the first message'],
      ['G  End', 'Go to the newest message'],
      ['[  ]', 'Previous, next turn in the timeline'],
      ['p', 'Show the critical path alone in the timeline'],
      ['t', 'Show or hide all thinking'],
      ['c', 'Copy the pack'],
      ['i', 'Give the pack to Claude in this session'],
    ],
  },
]

/** Every keyboard shortcut. */
export function ShortcutsSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" onClose={onClose} className="w-[min(46rem,92vw)]">
      <div className="p-6">
        <div className="mb-4 flex items-center justify-between">
          <h2 className="text-title font-semibold">Keyboard shortcuts</h2>
          <Button
            look="ghost"
            size="icon"
            aria-label="Close"
            onClick={(event) => event.currentTarget.closest('dialog')?.close()}
          >
            <X className="size-4" aria-hidden />
          </Button>
        </div>
        <div className="columns-1 gap-10 sm:columns-2">
          {SECTIONS.map((section) => (
            <section key={section.name} className="mb-5 break-inside-avoid">
              <h3 className="label mb-1.5">{section.name}</h3>
              <dl>
                {section.keys.map(([key, does]) => (
                  <div key={key} className="flex items-baseline justify-between gap-4 border-b py-1.5 last:border-0">
                    <dt className="order-2 flex gap-1">
                      {key.split(/ +/).map((part) => (
                        <kbd
                          key={part}
                          className="min-w-6 rounded-small border border-line-strong bg-sunken px-1.5 text-center font-sans text-meta"
                        >
                          {part}
                        </kbd>
                      ))}
                    </dt>
                    <dd className="text-soft">{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  )
}
