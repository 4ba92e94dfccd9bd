/** Something with a time to come. `place` is the heap's own: where the item lies, -1 when it does not. */
export type Timed = { fireAt: number; place: number };

/** Items by their time, the earliest at hand. Any can be taken out: schedules change long before they are due. */
export class SlotHeap<Item extends Timed> {
  readonly #items: Item[] = [];

  get first(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    if (item.place >= 0) this.remove(item);
    this.#put(item, this.#items.length);
    this.#rise(item);
  }

  remove(item: Item): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#put(last, place);
    this.#rise(last);
    this.#sink(last);
  }

  /** Takes out everything that is due by then, earliest first. */
  takeDue(now: number): Item[] {
    const due: Item[] = [];
    for (let { first } = this; first !== undefined && first.fireAt <= now; { first } = this) {
      this.remove(first);
      due.push(first);
    }
    return due;
  }

  clear(): void {
    for (const item of this.#items.splice(0)) item.place = -1;
  }

  #rise(item: Item): void {
    while (item.place > 0) {
      const above = this.#items[(item.place - 1) >> 1];
      if (above === undefined || above.fireAt <= item.fireAt) return;
      this.#swap(item, above);
    }
  }

  #sink(item: Item): void {
    for (;;) {
      const left = this.#items[item.place * 2 + 1];
      const right = this.#items[item.place * 2 + 2];
      const earlier = right !== undefined && left !== undefined && right.fireAt < left.fireAt ? right : left;
      if (earlier === undefined || earlier.fireAt >= item.fireAt) return;
      this.#swap(item, earlier);
    }
  }

  #swap(one: Item, other: Item): void {
    const { place } = one;
    this.#put(one, other.place);
    this.#put(other, place);
  }

  #put(item: Item, place: number): void {
    item.place = place;
    this.#items[place] = item;
  }
}
