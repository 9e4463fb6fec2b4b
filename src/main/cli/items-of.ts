/** Yields the items of a list that is asked for page by page. */
export async function* itemsOf<Item>(
  ask: (cursor: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next?: string | null }>,
): AsyncGenerator<Item> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await ask(cursor)
    yield* page.items
    cursor = page.next ?? null
  }
}
