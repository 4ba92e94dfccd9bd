type Ratio = `${number}:${number}`;

/** The ratio nearest to what the sides give. */
export function nearestRatio(width: number, height: number, ratios: readonly Ratio[]): Ratio {
  const wanted = Math.log(width / height);
  const distance = (ratio: Ratio): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - wanted);
  };
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}
