import type { Act } from "../act.ts";

export const closing: Act = {
  title: "The hall closes",
  caption:
    "It ends its agents and goes. Its sessions would be there at its next start; these were kept in a temporary " +
    "folder, which goes with it.",
  async play({ hall, painter }) {
    const how = await hall.stop();
    if (how !== "with code 0") throw new Error(`The hall ended ${how}.`);
    painter.note("The hall ended, with code 0.");
    painter.note(
      "For one of your own: `hall init` writes a roster, `hall serve` opens the hall, and `hall editor zed` says how an editor finds it.",
    );
  },
};
