import { Search, X } from 'lucide-react'
import type { KeyboardEvent, RefObject } from 'react'

interface SearchBoxProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  readonly placeholder?: string
  readonly inputRef?: RefObject<HTMLInputElement | null>
  readonly big?: boolean
  /** Focuses the field when it appears. */
  readonly focusFirst?: boolean
  readonly onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}

/** A search field with a clear button. */
export function SearchBox({
  value,
  onChange,
  label,
  placeholder,
  inputRef,
  big,
  focusFirst,
  onKeyDown,
}: SearchBoxProps) {
  return (
    <div
      className={`relative ${big === true ? 'w-full' : 'w-64 max-w-full min-w-0 max-[560px]:w-36 max-[560px]:grow'}`}
    >
      <Search
        className={`pointer-events-none absolute top-1/2 -translate-y-1/2 text-faint ${big === true ? 'left-4 size-5' : 'left-2.5 size-4'}`}
        aria-hidden
      />
      <input
        ref={inputRef}
        type="text"
        role="searchbox"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        autoComplete="off"
        spellCheck={false}
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={focusFirst}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className={`w-full text-ellipsis border border-line-strong bg-surface text-ink placeholder:text-faint ${
          big === true ? 'h-12 rounded-medium pr-11 pl-12 text-title' : 'h-8 rounded-small pr-8 pl-8 text-small'
        }`}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={() => {
            onChange('')
            inputRef?.current?.focus()
          }}
          className={`absolute top-1/2 flex size-6 -translate-y-1/2 items-center justify-center rounded-small text-faint hover:bg-hover hover:text-ink ${big === true ? 'right-3' : 'right-1'}`}
        >
          <X className="size-4" aria-hidden />
        </button>
      )}
    </div>
  )
}
