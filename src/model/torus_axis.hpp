#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/topology.hpp"

namespace weft::model {

/// Loads of the links along one axis of a torus, in both directions. Messages along stretches of a
/// line are noted where they begin and end, and summed up in the end. Lines without messages cost
/// neither memory nor time: few ranks may be on a large torus.
class TorusAxis {
 public:
  /// Axis `number` of a torus; nodes next to each other on it are `stride` apart.
  TorusAxis(const Topology& torus, std::size_t number, std::int64_t stride);

  std::int64_t extent() const { return extent_; }
  std::int64_t stride() const { return stride_; }

  /// Adds messages from place a to place b of the line that has node `line` at place 0.
  void send(std::int64_t line, std::int64_t a, std::int64_t b, double messages);
  /// Adds all loads of an axis with one line, `times` times, to the line that has node `line` at
  /// place 0.
  void add(const TorusAxis& one_line, std::int64_t line, double times);
  void clear();

  /// `number`: the number of this axis of the torus.
  BusiestLink busiest(double capacity, std::size_t number) const;

 private:
  using Changes = std::vector<double>;

  /// Grows both directions to this line.
  void reach(std::int64_t line);
  void pass(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
            double messages) const;
  void pass_around(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
                   double messages) const;
  void look_through(const Changes& changes, double capacity, const std::string& name,
                    BusiestLink& found) const;

  std::int64_t extent_;
  std::int64_t stride_;
  bool ring_;
  double ahead_;      ///< share of the messages that go forward if both directions are equally
                      ///< short
  Changes forward_;   ///< at a node: change of the messages on the link to the next one
  Changes backward_;  ///< at a node: change of the messages on the link from the next one to this
};

/// Returns all axes of a torus, without messages.
std::vector<TorusAxis> axes_of_torus(const Topology& torus);
BusiestLink busiest_of(const std::vector<TorusAxis>& axes, double capacity);

}  // namespace weft::model
