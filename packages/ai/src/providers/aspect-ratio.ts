type Ratio = `${number}:${number}`;
type Wanted = { readonly size: string | undefined; readonly width: number; readonly height: number };

/** The ratio nearest to the wanted size, or to the wanted sides where no size is given. */
export function ratioOf({ size = "", width, height }: Wanted, ratios: readonly Ratio[]): Ratio {
  const [across = width, down = height] = size
    .split("x")
    .map(Number)
    .filter((side) => side > 0);
  return nearestRatio(across, down, ratios);
}

function nearestRatio(width: number, height: number, ratios: readonly Ratio[]): Ratio {
  const wanted = Math.log(width / height);
  const distance = (ratio: Ratio): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - wanted);
  };
  return ratios.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}
